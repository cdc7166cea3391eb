// Loaded into OpenClaw before anything else: its dates follow a declared clock, not the machine's.
//
// CLOCK_FILE names a file that holds one number: the milliseconds to add to the machine's time. The benchmark sets
// it at the start of every turn, so that a turn always begins at its declared moment and time runs on from there.
// Timers are not touched: they count on a clock of their own. Threads get the same clock, whatever they are started
// with: one that kept the machine's would find the leases of the others long expired, and end the gateway.
"use strict";
const { openSync, readSync } = require("node:fs");
const { syncBuiltinESMExports } = require("node:module");
const threads = require("node:worker_threads");

const RealDate = Date;
const path = process.env.CLOCK_FILE;
const file = openSync(path, "r");
const buffer = Buffer.alloc(24);

function now() {
  const length = readSync(file, buffer, 0, buffer.length, 0);
  return RealDate.now() + Number(buffer.toString("latin1", 0, length));
}

globalThis.Date = class Date extends RealDate {
  constructor(...given) {
    if (given.length === 0) super(now());
    else super(...given);
  }
  static now() {
    return now();
  }
};

const RealWorker = threads.Worker;
threads.Worker = class Worker extends RealWorker {
  constructor(script, options = {}) {
    const { execArgv = process.execArgv, env } = options;
    const own = execArgv.includes(__filename) ? execArgv : ["--require", __filename, ...execArgv];
    const seen = env !== null && typeof env === "object" ? { env: { ...env, CLOCK_FILE: path } } : {};
    super(script, { ...options, ...seen, execArgv: own });
  }
};
syncBuiltinESMExports();
