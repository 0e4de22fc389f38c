import { readFileSync } from 'node:fs';
import { parentPort, receiveMessageOnPort } from 'node:worker_threads';

/**
 * A thread of the test that measures how busy the machine is. It sleeps, and records how much longer than intended each
 * sleep takes. At intervals, it calculates for some milliseconds, and records how long this takes.
 */
const sleepMs = 5;
const sleepsPerCalculation = 10;
const calculateMs = 5;
/**
 * The processor time in milliseconds of a calculation on request. A long calculation shows the load better than the
 * short ones between sleeps.
 */
const longCalculateMs = 50;
const neverNotified = new Int32Array(new SharedArrayBuffer(4));

/** The processor time of this thread in milliseconds. */
function cpuTime() {
  return Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')[0]) / 1e6;
}

/** Calculates until this processor time is used, and adds the elapsed time and the processor time to `calculated`. */
function calculate(milliseconds, calculated) {
  const [begun, cpuBefore] = [performance.now(), cpuTime()];
  let cpu = 0;
  while (cpu < milliseconds) cpu = cpuTime() - cpuBefore;
  calculated.elapsed += performance.now() - begun;
  calculated.cpu += cpu;
}

function slowdownOf({ elapsed, cpu }) {
  return cpu === 0 ? 1 : elapsed / cpu;
}

const newPeriod = () => ({ delays: [], calculated: { elapsed: 0, cpu: 0 } });

let period = newPeriod();
for (let isStopped = false, sleeps = 1; !isStopped; sleeps++) {
  const begun = performance.now();
  Atomics.wait(neverNotified, 0, 0, sleepMs);
  period.delays.push(performance.now() - begun - sleepMs);
  if (sleeps % sleepsPerCalculation === 0) calculate(calculateMs, period.calculated);
  const command = receiveMessageOnPort(parentPort)?.message;
  if (command === 'calculate') {
    const calculated = { elapsed: 0, cpu: 0 };
    calculate(longCalculateMs, calculated);
    parentPort.postMessage(slowdownOf(calculated));
  }
  if (command === 'begin') period = newPeriod();
  if (command === 'end') parentPort.postMessage({ delays: period.delays, slowdown: slowdownOf(period.calculated) });
  isStopped = command === 'stop';
}
parentPort.close();
