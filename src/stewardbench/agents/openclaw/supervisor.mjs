// Runs beside OpenClaw inside its slot: joins the slot's loopback to two Unix sockets, says on standard output when
// OpenClaw is ready, and ends OpenClaw when its own standard input ends, so that a benchmark that stops or dies leaves
// no process behind.
//
//   node supervisor.mjs AGENT_SOCKET AGENT_PORT MODEL_SOCKET MODEL_PORT COMMAND...
//
// AGENT_SOCKET is created here and leads in, to OpenClaw's own HTTP port. MODEL_SOCKET exists already and leads out, to
// the model; an empty string means that the model's port is reachable as it is.

import { spawn } from "node:child_process";
import { createServer, connect } from "node:net";

const GRACE_MS = 5000;
const POLL_MS = 100;
const [agentSocket, agentPort, modelSocket, modelPort, command, ...args] = process.argv.slice(2);

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

process.stdin.resume();
process.stdin.on("end", () => {
  child.kill("SIGTERM");
  setTimeout(() => child.kill("SIGKILL"), GRACE_MS);
});
announce();
