// The page's state lives in the address after "#", so that every view can be linked, reloaded and gone back to.

/** The state as an object; empty for plain anchors such as "#boundary". */
export function readState() {
  const text = location.hash.slice(1);
  return text.includes("=") ? Object.fromEntries(new URLSearchParams(text)) : {};
}

/** The hash of a state; empty values are left out. */
export function stateHash(state) {
  const kept = Object.entries(state).filter(([, value]) => value !== "" && value !== null && value !== undefined);
  return `#${new URLSearchParams(kept)}`;
}

/** Put a state into the address without a new history entry. */
export function replaceState(state) {
  const hash = stateHash(state);
  if (hash === "#" && !location.hash.includes("=")) return;
  history.replaceState(null, "", hash === "#" ? location.pathname + location.search : hash);
}
