import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { textAt } from '@flotilla/json';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { mergePatch } from '../../src/server/server.fixture.ts';
import { chromium } from '../harness/browsers.ts';
import type { Kubectl } from '../harness/kubectl.ts';
import { describeIfAvailable } from '../harness/suite.ts';
import { type Flotilla, instancesPath, openFlotilla } from '../kubernetes/harness/open-flotilla.ts';
import { findKubernetes } from '../kubernetes/harness/programs.ts';
import { type Kubernetes, startKubernetes } from '../kubernetes/harness/start-kubernetes.ts';
import { expectNoProblems, type MonitoredPage, openPage, signIn, startBrowser } from './harness/browser.ts';
import { violationsInEveryLook } from './harness/looks.ts';

const programs = findKubernetes();
/** The channel of `channel.k8s.io` on which a client sends the size of its terminal. */
const resizeChannel = 4;
const missing = chromium.missing ?? (typeof programs === 'string' ? programs : undefined);

/** The log and the shell of a pod that runs on the node of test clusters, in a virtual cluster with a real API server. */
describeIfAvailable(missing, 'the page of a pod', () => {
  let kubernetes: Kubernetes;
  let flotilla: Flotilla;
  let inside: Kubectl;
  let browser: Browser;

  beforeAll(async () => {
    if (typeof programs === 'string') return;
    kubernetes = await startKubernetes({ programs });
    flotilla = await openFlotilla({
      programs: kubernetes.programs,
      pages: fileURLToPath(new URL('../../dist/web/', import.meta.url)),
    });
    await flotilla.connect('europe', kubernetes);
    const made = await flotilla.createInstance('demo', { clusterRef: { cluster: 'europe' }, template: {} });
    await flotilla.wait('demo', 'condition=Ready');
    const ref = (member: string) => textAt(made, 'spec', 'clusterRef', member);
    await (await kubernetes.standIn({ namespace: ref('namespace'), name: ref('virtualCluster') })).startNode();
    inside = await flotilla.kubectlInside('demo');
    await inside.ok(['run', 'web', '--image=web']);
    await inside.ok(['wait', '--for=condition=Ready', 'pod/web', '--timeout=30s']);
    browser = await startBrowser();
  }, 300_000);
  afterAll(async () => {
    await browser.close();
    await flotilla.close();
    await kubernetes.stop();
  });

  async function open(path: string): Promise<MonitoredPage> {
    const watched = await openPage(browser, flotilla.server.url);
    // The programs of the cluster share the processors with the browser, so pages load slowly.
    watched.page.setDefaultTimeout(60_000);
    await signIn(watched.page, await flotilla.bench.adminKey(), path);
    return watched;
  }
  const podPath = (view = '') =>
    `/virtual-clusters/default/demo/inside?kind=/v1/pods&name=default/web${view === '' ? '' : `&view=${view}`}`;
  /** The text of the terminal as screen readers receive it. */
  const screen = (page: Page) => page.locator('.xterm-accessibility-tree');
  /** Types a line. The programs of the test node have no terminal that would turn Return into a newline. */
  async function type(page: Page, line: string): Promise<void> {
    await page.keyboard.type(line);
    await page.keyboard.press('Control+j');
  }

  it('shows the log live, searches in it, pauses, and saves it', async () => {
    const watched = await open(podPath());
    const { page } = watched;
    await page.getByRole('link', { name: 'Logs' }).click();
    const log = page.getByRole('region', { name: 'Log of web' });
    await log.getByText('has started').waitFor();
    await inside.ok(['attach', '-i', 'web'], { input: 'a red line\na blue line\nanother red line\n' });
    await log.getByText('another red line').waitFor();
    await page.getByLabel('Search in the log').fill('red');
    await page.getByText('2 found', { exact: true }).waitFor();
    expect(await log.locator('mark').count()).toBe(2);
    await page.getByRole('button', { name: 'Next match' }).click();
    expect(await log.locator('mark[data-current]').count()).toBe(1);
    await page.getByLabel('Only matching lines').check();
    await log.getByText('a blue line').waitFor({ state: 'detached' });
    expect(await violationsInEveryLook(page, 'pod-log')).toEqual([]);
    await page.getByLabel('Only matching lines').uncheck();
    await page.getByLabel('Timestamps').check();
    await log.getByText(/\d{4}-\d\d-\d\dT[\d:.]+Z a blue line/).waitFor();
    await page.getByLabel('Search in the log').fill('');

    // A view that was scrolled up stays where it is.
    await inside.ok(['attach', '-i', 'web'], { input: 'line\n'.repeat(500) });
    await page.getByText(/^50\d lines$/).waitFor();
    await log.evaluate((element) => element.scrollTo(0, 0));
    await page.getByRole('button', { name: 'Go to the end' }).waitFor();
    await inside.ok(['attach', '-i', 'web'], { input: 'the last line\n' });
    await page.getByRole('button', { name: 'Show 1 new line' }).click();
    await log.getByText('the last line').waitFor();

    const saving = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download' }).click();
    const saved = await saving;
    expect(saved.suggestedFilename()).toBe('web-web.log');
    expect(readFileSync(await saved.path(), 'utf8')).toMatch(/Z a blue line\n[\s\S]*Z the last line\n$/);
    expectNoProblems(watched);
    await watched.context.close();
  });

  it('opens a shell, and asks for confirmation before several lines are pasted', async () => {
    const watched = await open(podPath());
    const { page } = watched;
    await page.getByRole('link', { name: 'Terminal' }).click();
    await page.getByText('Connected.', { exact: true }).waitFor();
    await type(page, 'echo "pod $POD"');
    await screen(page).getByText('pod default/web').waitFor();
    expect(await violationsInEveryLook(page, 'pod-terminal')).toEqual([]);
    await page.locator('.xterm-helper-textarea').focus();
    await page.evaluate(() => navigator.clipboard.writeText('echo one\necho two\n'));
    await page.keyboard.press('Control+Shift+v');
    const dialog = page.getByRole('dialog', { name: 'Paste 3 lines?' });
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'hidden' });
    // A paste ends lines with Return, which this shell does not turn into newlines.
    await type(page, "sed -u 's/\\r/\\n/g' | sh");
    await page.locator('.xterm-helper-textarea').focus();
    await page.keyboard.press('Control+Shift+v');
    await dialog.getByRole('button', { name: 'Paste 3 lines' }).click();
    await dialog.waitFor({ state: 'hidden' });
    await page.locator('.xterm-helper-textarea').focus();
    await page.keyboard.press('Control+j');
    await screen(page).getByText('one', { exact: true }).waitFor();
    await screen(page).getByText('two', { exact: true }).waitFor();
    // Shift+Escape moves the focus out of the terminal.
    await page.locator('.xterm-helper-textarea').focus();
    await page.keyboard.press('Shift+Escape');
    expect(await page.evaluate(() => document.activeElement?.getAttribute('role'))).toBe('status');
    expectNoProblems(watched);
    await watched.context.close();
  });

  it('tells the shell its new size when the window is resized', async () => {
    const watched = await open(podPath());
    const { page } = watched;
    const sizes: { Width: number; Height: number }[] = [];
    page.on('websocket', (socket) => {
      socket.on('framesent', ({ payload }) => {
        const bytes = Buffer.from(payload);
        if (bytes[0] === resizeChannel) sizes.push(JSON.parse(bytes.subarray(1).toString()));
      });
    });
    await page.getByRole('link', { name: 'Terminal' }).click();
    await page.getByText('Connected.', { exact: true }).waitFor();
    await expect.poll(() => sizes.length).toBeGreaterThan(0);
    const before = sizes.at(-1);
    await page.setViewportSize({ width: 900, height: 860 });
    await expect.poll(() => sizes.at(-1)?.Width).toBeLessThan(before?.Width ?? Number.NaN);
    expectNoProblems(watched);
    await watched.context.close();
  });

  it('starts a new shell after a lost connection, and says so', async () => {
    const watched = await open(podPath('terminal'));
    const { page } = watched;
    await page.getByText('Connected.', { exact: true }).waitFor();
    await type(page, 'echo "first in $POD"');
    await screen(page).getByText('first in default/web').waitFor();
    // A change of the roles in the virtual cluster ends open connections.
    const rules = [{ users: ['someone'], clusterRole: 'view' }];
    await flotilla.ask(`${instancesPath}/demo`, mergePatch({ spec: { extraAccessRules: rules } }));
    await page.getByRole('status').getByText('Connection lost').waitFor();
    await screen(page).getByText('This is a new shell').waitFor();
    await type(page, 'echo "second in $POD"');
    await screen(page).getByText('second in default/web').waitFor();
    expectNoProblems(watched);
    await watched.context.close();
  });

  it('is also reached with kubectl commands', async () => {
    const watched = await open('/virtual-clusters/default/demo/terminal');
    const { page } = watched;
    const field = page.getByRole('combobox', { name: 'Command' });
    const output = page.getByRole('log', { name: 'Output' });
    const run = async (line: string) => {
      await field.fill(line);
      await field.press('Enter');
    };
    await run('get pods -o wide');
    await output.getByText(/web +1\/1 +Running/).waitFor();
    await run('logs web --tail 1');
    await output
      .getByText(/has started|line/)
      .first()
      .waitFor();
    await run("exec web -- sh -c 'echo out; echo error >&2; exit 3'");
    await output.getByText('error: command terminated with exit code 3').waitFor();
    await output.getByText('out', { exact: false }).first().waitFor();
    await run('exec -it web -- sh');
    await output.getByText('Connected.', { exact: true }).waitFor();
    await type(page, 'echo "in $POD"');
    await screen(page).getByText('in default/web').waitFor();
    expect(await violationsInEveryLook(page, 'kubectl-exec')).toEqual([]);
    expectNoProblems(watched);
    await watched.context.close();
  });

  it('shows the log of the control plane to those who may read it', async () => {
    const watched = await open('/virtual-clusters/default/demo?tab=logs');
    const { page } = watched;
    const log = page.getByRole('region', { name: 'Log of the control plane of demo' });
    await log.getByText('has started').waitFor();
    expect(await violationsInEveryLook(page, 'control-plane-log')).toEqual([]);
    // The container was never restarted, so it has no log of a previous run.
    const probe = page.waitForResponse((response) => response.url().includes('previous=true'));
    await page.reload();
    expect((await probe).status()).toBe(400);
    await log.getByText('has started').waitFor();
    expect(await page.getByLabel('Previous container').count()).toBe(0);
    expectNoProblems(watched);
    await watched.context.close();
  });
});
