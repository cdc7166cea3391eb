// Elements are built here and only here. Text becomes text nodes, never markup, whatever it holds.

const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\ud800-\udfff]/u;

/** An element. Attributes starting with "on" are listeners; null children and attributes are left out. */
export function el(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return node;
}

/** Recorded text as nodes: characters that are invisible, or change the reading order, are shown by their code. */
export function recorded(text) {
  if (!CONTROL.test(text)) return [text];
  const nodes = [];
  let plain = "";
  for (const character of text) {
    if (!CONTROL.test(character)) {
      plain += character;
      continue;
    }
    if (plain) nodes.push(plain);
    plain = "";
    const code = `U+${character.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}`;
    nodes.push(el("span", { class: "control", title: `invisible or control character ${code}` }, code));
  }
  if (plain) nodes.push(plain);
  return nodes;
}

/** Replace everything inside an element. */
export function fill(node, ...children) {
  node.replaceChildren(...children.flat().filter((child) => child !== null && child !== undefined));
}

/** A whole number with thousands separators. */
export function count(number) {
  return number.toLocaleString("en-US");
}
