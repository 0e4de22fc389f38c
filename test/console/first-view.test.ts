import { beforeAll, expect, it } from 'vitest';
import { expectNoProblems, signIn } from './harness/browser.ts';
import { describeConsole } from './harness/console-test-env.ts';
import { cpuTime } from './harness/cpu-time.ts';

/** The sizes and times that users notice on a mobile network and a slow machine. */
const maxKilobytes = 400;
const maxCpuMs = 1_000;

describeConsole('the first view of the fleet', (env) => {
  beforeAll(async () => {
    for (const name of ['shop', 'search', 'billing']) await env.admin.createInstance(name);
  });

  it('transfers at most 400 kB and needs less than a second of CPU time, with an empty cache', async () => {
    const watched = await env.open();
    const { page, context } = watched;
    await signIn(page, env.flotilla.adminKey);
    await page.getByRole('link', { name: '3 Ready' }).waitFor();
    await page.close();

    // A new tab with the session, but without anything in the cache.
    const view = await context.newPage();
    const network = await context.newCDPSession(view);
    await network.send('Network.enable');
    await network.send('Network.clearBrowserCache');
    let bytes = 0;
    network.on('Network.loadingFinished', ({ encodedDataLength }) => {
      bytes += encodedDataLength;
    });
    network.on('Network.dataReceived', ({ encodedDataLength }) => {
      // Watches never finish, so their received data is counted.
      if (encodedDataLength > 0) streamed += encodedDataLength;
    });
    let streamed = 0;
    const spend = await cpuTime(view);
    let elapsed = Number.NaN;
    const spent = await spend(async () => {
      await view.goto('/');
      await view.getByRole('link', { name: '3 Ready' }).waitFor();
      elapsed = await view.evaluate(() => performance.now());
    });
    const kilobytes = Math.max(bytes, streamed) / 1000;
    console.log(
      `first view: ${kilobytes.toFixed(0)} kB, ${spent.toFixed(0)} ms of CPU time, ${elapsed.toFixed(0)} ms elapsed`,
    );
    // The scripts of the page are part of the measurement.
    expect(kilobytes).toBeGreaterThan(100);
    expect(kilobytes).toBeLessThan(maxKilobytes);
    // Asserts the CPU time, because the elapsed time depends on the load of the machine: when other suites run too, the
    // elapsed time is ten times the CPU time. The benchmark runs alone and has a target of one second for the elapsed
    // time (test/bench/targets.mjs).
    expect(spent).toBeLessThan(maxCpuMs);
    expectNoProblems(watched);
    await context.close();
  });
});
