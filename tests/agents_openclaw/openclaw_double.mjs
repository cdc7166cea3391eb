// A stand-in for the OpenClaw gateway: the same doors, the same files, and one fault at a time.
// Its configuration may hold {"double": {"fault": NAME, "mark": FILE}}; the mark makes a fault happen once.
import { existsSync, mkdirSync, readFileSync, writeFileSync, appendFileSync } from "node:fs";
import { createServer } from "node:http";

const state = process.env.OPENCLAW_STATE_DIR;
const config = JSON.parse(readFileSync(process.env.OPENCLAW_CONFIG_PATH, "utf8"));
const { fault, mark } = config.double ?? {};
const port = Number(process.argv[process.argv.indexOf("--port") + 1]);
const sessions = `${state}/agents/main/sessions`;

function once() {
  if (!mark) return true;
  if (existsSync(mark)) return false;
  writeFileSync(mark, "");
  return true;
}

if (fault === "bad config") {
  console.error("config invalid: unknown key");
  process.exit(78);
}
if (fault === "port taken" && once()) {
  console.error(`Error: listen EADDRINUSE: address already in use 127.0.0.1:${port}`);
  process.exit(1);
}
if (fault === "ignores shutdown") process.on("SIGTERM", () => {});

async function turn(key, text) {
  const answer = await fetch(`${Object.values(config.models.providers)[0].baseUrl}/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${process.env.ASSISTANT_MODEL_KEY}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "x", messages: [...history(key), { role: "user", content: text }] }),
  });
  const reply = answer.ok ? (await answer.json()).choices[0].message.content : "";
  const stopReason = answer.ok ? "stop" : "error";
  record(key, { role: "user", content: [{ type: "text", text }] });
  record(key, { role: "assistant", content: [{ type: "text", text: reply }], stopReason, errorMessage: "model failed" });
  return answer.ok ? { status: 200, reply } : { status: 429, reply: "rate limited" };
}

function history(key) {
  const path = file(key);
  if (!existsSync(path)) return [];
  const messages = readFileSync(path, "utf8").trim().split("\n").map((line) => JSON.parse(line).message);
  return messages.map(({ role, content }) => ({ role, content: content[0].text }));
}

const file = (key) => `${sessions}/${Buffer.from(key).toString("hex")}.jsonl`;

function record(key, message) {
  mkdirSync(sessions, { recursive: true });
  const index = `${sessions}/sessions.json`;
  const known = existsSync(index) ? JSON.parse(readFileSync(index, "utf8")) : {};
  known[key] = { sessionId: Buffer.from(key).toString("hex") };
  writeFileSync(index, JSON.stringify(known));
  appendFileSync(file(key), `${JSON.stringify({ type: "message", message })}\n`);
}

function send(response, status, body) {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}

createServer(async (request, response) => {
  if (request.headers.authorization !== `Bearer ${process.env.OPENCLAW_GATEWAY_TOKEN}`) return send(response, 401, {});
  if (request.url === "/readyz") return send(response, fault === "slow start" ? 503 : 200, { ready: true });
  let body = "";
  for await (const part of request) body += part;
  const given = JSON.parse(body);
  if (request.url === "/tools/invoke") return send(response, fault === "search fails" ? 500 : 200, { ok: true });
  if (fault === "500" && once()) return send(response, 500, { error: { message: "Agent database cleanup failed" } });
  if (fault === "dies" && once()) {
    console.error(`out of memory, key ${process.env.ASSISTANT_MODEL_KEY}`);
    process.exit(134);
  }
  if (fault === "hangs" && once()) return undefined;
  const { status, reply } = await turn(request.headers["x-openclaw-session-key"], given.messages[0].content);
  if (status !== 200) return send(response, status, { error: { message: reply } });
  if (!reply) return send(response, 400, { error: { message: "incomplete terminal response" } });
  return send(response, 200, { choices: [{ message: { role: "assistant", content: reply } }] });
}).listen(port, "127.0.0.1");
