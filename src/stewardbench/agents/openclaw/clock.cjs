// Loaded into OpenClaw before anything else: its dates follow a declared clock, not the machine's.
//
// CLOCK_FILE names a file that holds one number: the milliseconds to add to the machine's time. The benchmark sets
// it at the start of every turn, so that a turn always begins at its declared moment and time runs on from there.
// Timers are not touched: they count on a clock of their own.
"use strict";
const { openSync, readSync } = require("node:fs");

const RealDate = Date;
const file = openSync(process.env.CLOCK_FILE, "r");
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
