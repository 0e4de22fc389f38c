import { existsSync } from 'node:fs';
import { chromium } from 'playwright-core';
import { median, percentile } from '../figures.mjs';

const program = process.env.FLOTILLA_CHROMIUM ?? '/usr/bin/chromium';
const args = ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update'];

/**
 * The web console in a real browser with an empty cache: the time until the fleet is visible, the bytes transferred
 * until then, and the time until a long list is complete and scrollable.
 */
export async function webConsole(session) {
  if (!session.hasPlanes || !existsSync(program)) return;
  const { sizes } = session;
  await session.start('console');
  const { target } = session;
  const lives = {
    verb: 'create',
    kind: 'VirtualClusterInstance',
    project: 'default',
    calls: sizes.lives,
    clients: 10,
    inTurn: true,
  };
  await session.run('instanceLives', lives);
  const browser = await chromium.launch({ executablePath: program, args });
  try {
    const views = [];
    for (let round = 0; round < sizes.consoleViews; round++) views.push(await firstView(browser, target));
    const all = (name) => views.map((view) => view[name]);
    const count = sizes.lives.toLocaleString('en');
    session.note('console-first', 'sign in and open the fleet, empty cache', {
      p50: median(all('milliseconds')),
      transferred: Math.max(...all('kilobytes')),
    });
    session.note('console-list', `open the list of ${count} virtual clusters, until all are loaded`, {
      p50: median(all('whole')),
    });
    const frames = all('frames')
      .flat()
      .sort((a, b) => a - b);
    session.note('console-scroll', `scroll through the list of ${count} by 100 pixels per frame, time per frame`, {
      p50: median(frames),
      p99: percentile(frames, 0.99),
      clientCpu: median(all('frameCpu')),
    });
    session.note('console-jump', `drag the scroll bar through the list of ${count}, longest frame`, {
      p50: median(all('longest')),
    });
  } finally {
    await browser.close();
  }
}

async function firstView(browser, { url, authorization }) {
  const context = await browser.newContext({ baseURL: url, ignoreHTTPSErrors: true, reducedMotion: 'reduce' });
  try {
    const page = await context.newPage();
    await page.goto('/');
    await page.getByRole('button', { name: 'Use an access key' }).click();
    await page.locator('input[name="access-key"]').fill(authorization.replace('Bearer ', ''));
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('link', { name: /Ready/ }).first().waitFor();

    // Empties the browser cache, so the browser has the session and nothing else.
    const debug = await context.newCDPSession(page);
    await debug.send('Network.enable');
    await debug.send('Network.clearBrowserCache');
    let bytes = 0;
    debug.on('Network.loadingFinished', ({ encodedDataLength }) => {
      bytes += encodedDataLength;
    });
    await page.goto('about:blank');
    const begun = performance.now();
    await page.goto('/', { waitUntil: 'commit' });
    await page.getByRole('link', { name: /Ready/ }).first().waitFor();
    const milliseconds = performance.now() - begun;
    const kilobytes = bytes / 1000;

    const opened = performance.now();
    await page.getByRole('navigation').getByText('Virtual clusters').click();
    await page.locator('[aria-rowcount]').waitFor();
    await page.waitForFunction(() => document.querySelector('[role=status]')?.textContent?.includes(' of ') === false);
    const whole = performance.now() - opened;
    // Scrolls like a fast turn of a mouse wheel, then through all rows in a hundred frames.
    await debug.send('Performance.enable', { timeDomain: 'threadTicks' });
    const count = 300;
    const before = await mainThreadMilliseconds(debug);
    const frames = await page.evaluate(scrollFrames, { pixels: 100, count });
    const frameCpu = ((await mainThreadMilliseconds(debug)) - before) / count;
    const jumps = await page.evaluate(scrollFrames, { pixels: undefined, count: 100 });
    return { milliseconds, kilobytes, whole, frames, frameCpu, longest: Math.max(...jumps) };
  } finally {
    await context.close();
  }
}

/** The CPU time that the main thread of the page has used so far. */
async function mainThreadMilliseconds(debug) {
  const { metrics } = await debug.send('Performance.getMetrics');
  return metrics.find(({ name }) => name === 'TaskDuration').value * 1000;
}

/**
 * Runs in the page. Scrolls once per frame by `pixels`; by default, by the distance after which the last frame shows
 * the end. Returns the milliseconds of each frame.
 */
async function scrollFrames({ pixels, count }) {
  const scroller = document.querySelector('table')?.parentElement;
  if (scroller === null || scroller === undefined) throw new Error('there is no table to scroll');
  scroller.scrollTop = 0;
  const step = pixels ?? (scroller.scrollHeight - scroller.clientHeight) / count;
  const frames = [];
  let before = await new Promise(requestAnimationFrame);
  for (let index = 0; index < count; index++) {
    scroller.scrollTop += step;
    const now = await new Promise(requestAnimationFrame);
    frames.push(now - before);
    before = now;
  }
  return frames;
}
