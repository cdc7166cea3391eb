// Runs beside OpenClaw inside its slot: joins the slot's loopback to two Unix sockets, says on standard output when
// OpenClaw is ready, and ends OpenClaw when its own standard input ends, so that a benchmark that stops or dies leaves
// no process behind.
//
//   node supervisor.mjs AGENT_SOCKET AGENT_PORT MODEL_SOCKET MODEL_PORT MODEL_URL COMMAND...
//
// AGENT_SOCKET is created here and leads in, to OpenClaw's own HTTP port. MODEL_SOCKET exists already and leads out, to
// the model; an empty string means that the model's port is reachable as it is.

import { spawn } from "node:child_process";
import { createHash, generateKeyPairSync, sign as signed } from "node:crypto";
import { createServer, connect } from "node:net";
import { createInterface } from "node:readline";

const GRACE_MS = 5000;
const POLL_MS = 100;
const [agentSocket, agentPort, modelSocket, modelPort, modelUrl, command, ...args] = process.argv.slice(2);

function join(client, target) {
  const far = connect({ ...target, allowHalfOpen: true });
  client.on("error", () => far.destroy());
  far.on("error", () => client.destroy());
  client.pipe(far);
  far.pipe(client);
}

const relay = (target) => createServer({ allowHalfOpen: true, noDelay: true }, (client) => join(client, target));

async function ready() {
  try {
    const answer = await fetch(`http://127.0.0.1:${agentPort}/readyz`, {
      headers: { authorization: `Bearer ${process.env.OPENCLAW_GATEWAY_TOKEN}` },
    });
    return answer.ok && (await answer.json()).ready === true;
  } catch {
    return false; // not listening yet
  }
}

async function announce() {
  while (!(await ready())) await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  console.log(JSON.stringify({ ready: true }));
}

relay({ host: "127.0.0.1", port: Number(agentPort) }).listen(agentSocket);
if (modelSocket) relay({ path: modelSocket }).listen(Number(modelPort), "127.0.0.1");

const child = spawn(command, args, { stdio: ["ignore", "pipe", "inherit"] });
child.stdout.pipe(process.stderr); // standard output belongs to the supervisor
child.on("error", (error) => {
  console.error(`cannot start ${command}: ${error.message}`);
  process.exit(127);
});
child.on("exit", (code) => process.exit(code ?? 1));

// Every line of standard input is a question. "way out": whether the model's server answers by the way that OpenClaw's
// requests go. "sign": a text, signed with the device key that a client of the gateway's WebSocket has to have.
const { publicKey, privateKey } = generateKeyPairSync("ed25519");
const rawKey = publicKey.export({ format: "der", type: "spki" }).subarray(-32);

async function lookOut() {
  try {
    const answer = await fetch(`${modelUrl}/models`, {
      headers: { authorization: `Bearer ${process.env.ASSISTANT_MODEL_KEY}` },
      signal: AbortSignal.timeout(GRACE_MS),
    });
    await answer.arrayBuffer();
    return { status: answer.status };
  } catch (error) {
    return { status: 0, fault: String(error) };
  }
}

const answers = {
  "way out": lookOut,
  sign: ({ text }) => ({ signature: signed(null, Buffer.from(text), privateKey).toString("base64url") }),
  device: () => ({ id: createHash("sha256").update(rawKey).digest("hex"), publicKey: rawKey.toString("base64url") }),
};
createInterface({ input: process.stdin }).on("line", async (line) => {
  const question = JSON.parse(line);
  console.log(JSON.stringify(await answers[question.op](question)));
});
process.stdin.on("end", () => {
  child.kill("SIGTERM");
  setTimeout(() => child.kill("SIGKILL"), GRACE_MS);
});
announce();
