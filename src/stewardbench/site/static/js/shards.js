// Data files are scripts that call steward.receive with gzipped JSON; each is loaded once, when it is first needed.

const waiting = new Map();
const loaded = new Map();

globalThis.steward = {
  receive(name, packed) {
    waiting.get(name)?.(packed);
  },
};

async function unpack(packed) {
  const bytes = Uint8Array.from(atob(packed), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}

/** The JSON value of data/NAME.js. Rejects with a sentence for the reader when the file is not there. */
export function load(name) {
  if (!loaded.has(name)) {
    const value = new Promise((resolve, reject) => {
      const script = document.createElement("script");
      script.src = `data/${name}.js`;
      waiting.set(name, resolve);
      script.onload = () => reject(new Error(`data/${name}.js holds no data. Build the site again.`));
      script.onerror = () => reject(new Error(`data/${name}.js cannot be loaded. Was the whole folder copied?`));
      document.head.append(script);
    }).then(unpack);
    loaded.set(name, value);
    value.catch(() => loaded.delete(name));
  }
  return loaded.get(name);
}
