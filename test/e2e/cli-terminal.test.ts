import { spawnSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type CliHome, cliHome } from '../harness/cli.ts';
import { type FlotillaProcess, startFlotilla } from '../harness/flotilla-process.ts';
import { selfSigned } from '../harness/self-signed.ts';
import { describeWith } from '../harness/suite.ts';

const pythonMissing =
  spawnSync('python3', ['-c', 'import pty']).status === 0
    ? undefined
    : 'there is no python3 on PATH, which makes terminals';

const ctrlC = '\u0003';
const controls = '\u001b';
const green = `${controls}[32m`;

describeWith(pythonMissing, 'the command line, in a terminal', () => {
  let flotilla: FlotillaProcess;
  let home: CliHome;

  beforeAll(async () => {
    flotilla = await startFlotilla();
    home = cliHome();
    const ca = join(flotilla.dataDirectory, 'ca.crt');
    await home.ok(['login', flotilla.url, '--ca-file', ca, '--access-key-stdin'], { input: flotilla.adminKey });
    await home.ok(['create', 'demo', '--wait']);
  });
  afterAll(async () => {
    home.remove();
    await flotilla.remove();
  });

  const configOf = (name: string) => ({ FLOTILLA_CONFIG: join(home.folder, `${name}.json`) });

  /** An interactive bash with these lines as what it reads first. */
  function bashWith(...lines: string[]): string[] {
    const file = join(home.folder, 'bashrc');
    writeFileSync(
      file,
      ["bind 'set enable-bracketed-paste off'", "bind 'set bell-style none'", ...lines, ''].join('\n'),
    );
    return ['bash', '--rcfile', file, '-i'];
  }

  it('shows the fingerprint of an unknown authority, asks, and keeps what is agreed to', async () => {
    const { fingerprint256 } = new X509Certificate(readFileSync(join(flotilla.dataDirectory, 'ca.crt')));
    const env = configOf('pinned');
    const no = home.inTerminal(['flotilla', 'login', flotilla.url], { env });
    await no.seen(new RegExp(fingerprint256));
    await no.seen(/Trust this CA\? \[y\/N\] /);
    no.type('n\r');
    await no.seen(/nothing was sent to the server/);
    expect(await no.ended).toBe(4);

    const yes = home.inTerminal(['flotilla', 'login', flotilla.url], { env });
    await yes.seen(/Trust this CA\?/);
    yes.type('y\r');
    await yes.seen(/Access key for .*: /);
    yes.type(`${flotilla.adminKey}\r`);
    await yes.seen(/logged in to .* as admin/);
    expect(await yes.ended).toBe(0);
    // What was typed where nobody is to see it was not shown.
    expect(yes.shown()).not.toContain(flotilla.adminKey);
    const [kept] = Object.values(JSON.parse(readFileSync(env.FLOTILLA_CONFIG, 'utf8')).contexts) as {
      authority: string;
    }[];
    expect(kept?.authority.trim()).toBe(readFileSync(join(flotilla.dataDirectory, 'ca.crt'), 'utf8').trim());
    // Known by now, so nothing is asked.
    const again = await home.run(['login', flotilla.url, '--access-key-stdin'], { env, input: flotilla.adminKey });
    expect(again.code).toBe(0);
    // Another authority at that address is not taken in silence.
    const other = await startFlotilla({ args: ['--listen', new URL(flotilla.url).host.replace(/\d+$/, '0')] });
    const moved = JSON.parse(readFileSync(env.FLOTILLA_CONFIG, 'utf8'));
    const [name] = Object.keys(moved.contexts);
    moved.contexts[name ?? ''].url = other.url;
    writeFileSync(env.FLOTILLA_CONFIG, JSON.stringify(moved), { mode: 0o600 });
    const changed = home.inTerminal(['flotilla', 'login', other.url], { env });
    await changed.seen(/differs from the saved one/);
    changed.type('n\r');
    expect(await changed.ended).toBe(4);
    await other.remove();
  });

  it('takes a password that is typed, and shows nothing of it', async () => {
    await home.ok(['user', 'create', 'anna', '--password-stdin'], { input: 'correct horse' });
    const ca = join(flotilla.dataDirectory, 'ca.crt');
    const login = home.inTerminal(['flotilla', 'login', flotilla.url, '--ca-file', ca, '--username', 'anna'], {
      env: configOf('anna'),
    });
    await login.seen(/Password for anna: /);
    login.type('correct horse\r');
    await login.seen(/logged in to .* as anna/);
    expect(await login.ended).toBe(0);
    expect(login.shown()).not.toContain('horse');
    const change = home.inTerminal(['flotilla', 'user', 'password', 'anna'], { env: configOf('anna') });
    await change.seen(/New password for anna: /);
    change.type('battery staple\r');
    await change.seen(/Repeat the password: /);
    change.type('battery staple\r');
    await change.seen(/password of user "anna" changed/);
    expect(await change.ended).toBe(0);
    expect(change.shown()).not.toContain('staple');
    // Ctrl-C at a question leaves the terminal as it was.
    const left = home.inTerminal(
      ['sh', '-c', `flotilla login ${flotilla.url} --ca-file ${ca}; echo ended $?; stty -a`],
      { env: configOf('left') },
    );
    await left.seen(/Access key for/);
    left.type(ctrlC);
    await left.seen(/ended 130/);
    await left.seen(/ icanon .* echo /s);
    expect(await left.ended).toBe(0);
  });

  it('shows each condition as it comes true, on lines that move', async () => {
    const making = home.inTerminal(['flotilla', 'create', 'fresh', '--wait']);
    await making.seen(/created in project "default"/);
    for (const condition of [
      'Scheduled',
      'TemplateResolved',
      'SpaceReady',
      'VirtualClusterDeployed',
      'VirtualClusterReady',
      'Ready',
    ]) {
      await making.seen(new RegExp(`✓.* ${condition} .*\\(\\d`));
    }
    expect(await making.ended).toBe(0);
    expect(making.shown()).toContain(`${green}✓`);
    const listing = home.inTerminal(['flotilla', 'list']);
    await listing.ended;
    expect(listing.shown()).toContain(`${green}Ready`);
    const plain = home.inTerminal(['flotilla', 'list'], { env: { NO_COLOR: '1' } });
    await plain.ended;
    expect(plain.shown()).not.toContain(controls);
  });

  it('leaves nothing half-done on Ctrl-C', async () => {
    const stuck = { apiVersion: 'v1', kind: 'Nowhere', metadata: { name: 'x' } };
    const template = {
      apiVersion: 'management.platform.sh/v1',
      kind: 'VirtualClusterTemplate',
      metadata: { name: 'stuck' },
      spec: { template: { objects: JSON.stringify(stuck) } },
    };
    await home.ok(['apply', '-f', '-'], { input: JSON.stringify(template) });
    const waiting = home.inTerminal(['flotilla', 'create', 'stuck', '--template', 'stuck', '--wait']);
    await waiting.seen(/Nowhere/);
    waiting.type(ctrlC);
    await waiting.seen(/stuck is still being created; delete it with: flotilla delete stuck/);
    expect(await waiting.ended).toBe(130);
    await home.ok(['delete', 'stuck', '--wait']);

    const watching = home.inTerminal(['flotilla', 'list', '--watch']);
    await watching.seen(/demo/);
    await home.ok(['create', 'later', '--wait']);
    await watching.seen(/later .*Ready/);
    watching.type(ctrlC);
    expect(await watching.ended).toBe(130);
    await home.ok(['delete', 'later', '--wait']);
  });

  it('goes on waiting over a server that starts again', async () => {
    const template = {
      apiVersion: 'management.platform.sh/v1',
      kind: 'VirtualClusterTemplate',
      metadata: { name: 'later' },
      spec: { template: { objects: '{"apiVersion":"v1","kind":"Nowhere","metadata":{"name":"x"}}' } },
    };
    await home.ok(['apply', '-f', '-'], { input: JSON.stringify(template) });
    const waiting = home.inTerminal(['flotilla', 'create', 'patient', '--template', 'later', '--wait']);
    await waiting.seen(/Nowhere/);
    const { dataDirectory, url } = flotilla;
    await flotilla.stop();
    await waiting.seen(/cannot reach the server/);
    flotilla = await startFlotilla({ dataDirectory, args: ['--listen', new URL(url).host] });
    await home.ok(['template', 'edit', 'later', '--patch', '{spec: {template: {objects: ""}}}']);
    await waiting.seen(/✓.* Ready /);
    expect(await waiting.ended).toBe(0);
    await home.ok(['delete', 'patient', '--wait']);
  });

  it('shows a key that was made although somebody pressed Ctrl-C while it was', async () => {
    const pair = await selfSigned();
    let finish: () => void = () => {};
    const slow = createServer(pair, (_request, response) => {
      finish = () =>
        response.end(JSON.stringify({ kind: 'OwnedAccessKey', metadata: { name: 'ci' }, spec: { key: 'flk_once' } }));
      asked();
    });
    let asked: () => void = () => {};
    const isAsked = new Promise<void>((resolve) => {
      asked = resolve;
    });
    slow.listen(0, '127.0.0.1');
    await once(slow, 'listening');
    const authority = join(home.folder, 'slow.crt');
    writeFileSync(authority, pair.cert);
    const env = {
      FLOTILLA_URL: `https://127.0.0.1:${(slow.address() as AddressInfo).port}`,
      FLOTILLA_ACCESS_KEY: 'x',
      FLOTILLA_CA_FILE: authority,
    };
    const making = home.inTerminal(['flotilla', 'access-key', 'create', 'ci'], { env });
    await isAsked;
    making.type(ctrlC);
    await making.seen(/\^C/);
    finish();
    await making.seen(/flk_once/);
    // The signal and the answer race to the program; it lives through both.
    expect([0, 130]).toContain(await making.ended);
    slow.closeAllConnections();
    slow.close();
  });

  it('gives a command the terminal, and Ctrl-C to it alone', async () => {
    const shell = home.inTerminal(['flotilla', 'connect', 'demo', '--', ...bashWith("PS1='inside> '")]);
    await shell.seen(/inside> /);
    shell.type('ls -l "$KUBECONFIG"; test -f "$KUBECONFIG" && echo there:$KUBECONFIG\r');
    const [, path = ''] = /there:(\/\S+)/.exec(await shell.seen(/\nthere:\/\S+/)) ?? [];
    await shell.seen(/inside> /);
    shell.type(ctrlC);
    await shell.seen(/\^C.*inside> /s);
    shell.type('echo still $((1 + 1)); exit 3\r');
    await shell.seen(/\nstill 2/);
    expect(await shell.ended).toBe(3);
    expect(() => readFileSync(path)).toThrow(/ENOENT/);
  });

  it('changes objects in the editor, and tells there what the server refuses', async () => {
    await home.ok(['edit', 'demo', '--patch', '{spec: {displayName: Demo}}']);
    const swap = join(home.folder, 'swap.sh');
    writeFileSync(swap, `#!/bin/sh\nsed -i 's/displayName: Demo/displayName: Edited/' "$1"\n`, { mode: 0o755 });
    const edited = home.inTerminal(['flotilla', 'edit', 'demo'], { env: { EDITOR: swap } });
    await edited.seen(/virtual cluster "demo" edited/);
    expect(await edited.ended).toBe(0);
    expect(await home.ok(['get', 'demo', '-o', 'jsonpath={.spec.displayName}'])).toBe('Edited');
    const same = home.inTerminal(['flotilla', 'edit', 'demo'], { env: { EDITOR: 'true' } });
    await same.seen(/no changes made/);
    // The first try moves it to another cluster, which is refused; the second sees why, and gives up.
    const stubborn = join(home.folder, 'stubborn.sh');
    writeFileSync(stubborn, `#!/bin/sh\ngrep '^# ' "$1" && exit 0\nsed -i 's/cluster: local/cluster: paris/' "$1"\n`, {
      mode: 0o755,
    });
    const refused = home.inTerminal(['flotilla', 'edit', 'demo'], { env: { EDITOR: stubborn } });
    await refused.seen(/^# VirtualClusterInstance.*spec\.clusterRef\.cluster/m);
    await refused.seen(/flotilla: no changes made: /);
    expect(await refused.ended).toBe(1);
  });

  it('completes commands, options and names in a real bash', async () => {
    const bash = home.inTerminal(bashWith("PS1='ready> '", 'source <(flotilla completion bash)'));
    await bash.seen(/ready> /);
    bash.type('flotilla acc\t');
    await bash.seen(/flotilla access-key /);
    bash.type('crea\t--ttl-after\t\u0015');
    await bash.seen(/create --ttl-after-last-activity /);
    bash.type('flotilla get de\t');
    await bash.seen(/flotilla get demo /);
    bash.type('\u0015flotilla list --context 127.0.0.1:\t\u0015');
    await bash.seen(new RegExp(`--context ${new URL(flotilla.url).host}`));
    bash.type('exit\r');
    expect(await bash.ended).toBe(0);
  });
});
