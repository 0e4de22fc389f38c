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
import { describeIfAvailable } from '../harness/suite.ts';

const pythonMissing =
  spawnSync('python3', ['-c', 'import pty']).status === 0
    ? undefined
    : 'there is no python3 on PATH, which makes terminals';

const ctrlC = '\u0003';
const controls = '\u001b';
const green = `${controls}[32m`;

describeIfAvailable(pythonMissing, 'the CLI in a terminal', () => {
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

  /** An interactive bash with these lines as its startup file. */
  function bashWith(...lines: string[]): string[] {
    const file = join(home.folder, 'bashrc');
    writeFileSync(
      file,
      ["bind 'set enable-bracketed-paste off'", "bind 'set bell-style none'", ...lines, ''].join('\n'),
    );
    return ['bash', '--rcfile', file, '-i'];
  }

  it('shows the fingerprint of an unknown CA, asks for confirmation, and stores the decision', async () => {
    const { fingerprint256 } = new X509Certificate(readFileSync(join(flotilla.dataDirectory, 'ca.crt')));
    const env = configOf('pinned');
    const no = home.inTerminal(['flotilla', 'login', flotilla.url], { env });
    await no.waitForOutput(new RegExp(fingerprint256));
    await no.waitForOutput(/Trust this CA\? \[y\/N\] /);
    no.type('n\r');
    await no.waitForOutput(/nothing was sent to the server/);
    expect(await no.ended).toBe(3);

    const yes = home.inTerminal(['flotilla', 'login', flotilla.url, '--access-key-stdin'], { env });
    await yes.waitForOutput(/Trust this CA\?/);
    yes.type('y\r');
    await yes.waitForOutput(/Access key for .*: /);
    yes.type(`${flotilla.adminKey}\r`);
    await yes.waitForOutput(/logged in to .* as admin/);
    expect(await yes.ended).toBe(0);
    // Hidden input is not shown.
    expect(yes.shown()).not.toContain(flotilla.adminKey);
    const [kept] = Object.values(JSON.parse(readFileSync(env.FLOTILLA_CONFIG, 'utf8')).contexts) as {
      authority: string;
    }[];
    expect(kept?.authority.trim()).toBe(readFileSync(join(flotilla.dataDirectory, 'ca.crt'), 'utf8').trim());
    // The CA was saved by the first login, so there is no prompt.
    const again = await home.run(['login', flotilla.url, '--access-key-stdin'], { env, input: flotilla.adminKey });
    expect(again.code).toBe(0);
    // If another CA appears at that address, the login fails.
    const other = await startFlotilla({ args: ['--listen', new URL(flotilla.url).host.replace(/\d+$/, '0')] });
    const moved = JSON.parse(readFileSync(env.FLOTILLA_CONFIG, 'utf8'));
    const [name] = Object.keys(moved.contexts);
    moved.contexts[name ?? ''].url = other.url;
    writeFileSync(env.FLOTILLA_CONFIG, JSON.stringify(moved), { mode: 0o600 });
    const changed = home.inTerminal(['flotilla', 'login', other.url], { env });
    await changed.waitForOutput(/differs from the saved one/);
    changed.type('n\r');
    expect(await changed.ended).toBe(3);
    await other.remove();
  });

  it('asks for the password again before a lasting change with an access key', async () => {
    await home.ok(['user', 'create', 'eve', '--password-stdin'], { input: 'correct horse' });
    const key = (await home.ok(['access-key', 'create', 'eves', '--user', 'eve', '--ttl', '1h'])).trim();
    const env = configOf('eve');
    const ca = join(flotilla.dataDirectory, 'ca.crt');
    await home.ok(['login', flotilla.url, '--ca-file', ca, '--access-key-stdin'], { env, input: key });
    const refused = await home.run(['access-key', 'create', 'wide'], { env });
    expect(refused.code).toBe(3);
    expect(refused.stderr).toMatch(/requires a login with a password .* flotilla login --username eve/);
    const create = home.inTerminal(['flotilla', 'access-key', 'create', 'wide'], { env });
    await create.waitForOutput(/Password for eve: /);
    create.type('correct horse\r');
    await create.waitForOutput(/access key "wide" created/);
    expect(await create.ended).toBe(0);
    // The password login is not saved: the access key is still in use.
    expect(await home.ok(['whoami'], { env })).toMatch(/access key: eves/);
  });

  it('accepts a typed password without showing it', async () => {
    await home.ok(['user', 'create', 'anna', '--password-stdin'], { input: 'correct horse' });
    const ca = join(flotilla.dataDirectory, 'ca.crt');
    const login = home.inTerminal(['flotilla', 'login', flotilla.url, '--ca-file', ca, '--username', 'anna'], {
      env: configOf('anna'),
    });
    await login.waitForOutput(/Password for anna: /);
    login.type('correct horse\r');
    await login.waitForOutput(/logged in to .* as anna/);
    expect(await login.ended).toBe(0);
    expect(login.shown()).not.toContain('horse');
    const change = home.inTerminal(['flotilla', 'user', 'password', 'anna'], { env: configOf('anna') });
    await change.waitForOutput(/New password for anna: /);
    change.type('battery staple\r');
    await change.waitForOutput(/Repeat the password: /);
    change.type('battery staple\r');
    await change.waitForOutput(/password of user "anna" changed/);
    expect(await change.ended).toBe(0);
    expect(change.shown()).not.toContain('staple');
    // Ctrl-C at a prompt restores the terminal.
    const left = home.inTerminal(
      ['sh', '-c', `flotilla login ${flotilla.url} --ca-file ${ca} --access-key-stdin; echo ended $?; stty -a`],
      { env: configOf('left') },
    );
    await left.waitForOutput(/Access key for/);
    left.type(ctrlC);
    await left.waitForOutput(/ended 130/);
    await left.waitForOutput(/ icanon .* echo /s);
    expect(await left.ended).toBe(0);
  });

  it('shows each condition as it becomes true, with live updates', async () => {
    const making = home.inTerminal(['flotilla', 'create', 'fresh', '--wait']);
    await making.waitForOutput(/created in project "default"/);
    for (const condition of [
      'Scheduled',
      'TemplateResolved',
      'SpaceReady',
      'VirtualClusterDeployed',
      'VirtualClusterReady',
      'Ready',
    ]) {
      await making.waitForOutput(new RegExp(`✓.* ${condition} .*\\(\\d`));
    }
    expect(await making.ended).toBe(0);
    expect(making.shown()).toContain(`${green}✓`);
    // The conditions are redrawn in one line, so only the result of the command and the result of the wait remain as
    // lines.
    expect(making.shown().match(/\n/g)).toHaveLength(2);
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
    await waiting.waitForOutput(/Nowhere/);
    waiting.type(ctrlC);
    await waiting.waitForOutput(/stuck is still being created; delete it with: flotilla delete stuck/);
    expect(await waiting.ended).toBe(130);
    await home.ok(['delete', 'stuck', '--wait']);

    const watching = home.inTerminal(['flotilla', 'list', '--watch']);
    await watching.waitForOutput(/demo/);
    await home.ok(['create', 'later', '--wait']);
    await watching.waitForOutput(/later .*Ready/);
    watching.type(ctrlC);
    expect(await watching.ended).toBe(130);
    await home.ok(['delete', 'later', '--wait']);
  });

  it('keeps waiting while the server restarts', async () => {
    const template = {
      apiVersion: 'management.platform.sh/v1',
      kind: 'VirtualClusterTemplate',
      metadata: { name: 'later' },
      spec: { template: { objects: '{"apiVersion":"v1","kind":"Nowhere","metadata":{"name":"x"}}' } },
    };
    await home.ok(['apply', '-f', '-'], { input: JSON.stringify(template) });
    const waiting = home.inTerminal(['flotilla', 'create', 'patient', '--template', 'later', '--wait']);
    await waiting.waitForOutput(/Nowhere/);
    const { dataDirectory, url } = flotilla;
    await flotilla.stop();
    await waiting.waitForOutput(/cannot reach the server/);
    flotilla = await startFlotilla({ dataDirectory, args: ['--listen', new URL(url).host] });
    await home.ok(['template', 'edit', 'later', '--patch', '{spec: {template: {objects: ""}}}']);
    await waiting.waitForOutput(/✓.* Ready /);
    expect(await waiting.ended).toBe(0);
    await home.ok(['delete', 'patient', '--wait']);
  });

  it('shows a created key even if Ctrl-C was pressed during its creation', async () => {
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
    await making.waitForOutput(/\^C/);
    finish();
    await making.waitForOutput(/flk_once/);
    // The signal may arrive before or after the response, and the program handles both.
    expect([0, 130]).toContain(await making.ended);
    slow.closeAllConnections();
    slow.close();
  });

  it('gives a command the terminal, and Ctrl-C to that command alone', async () => {
    const shell = home.inTerminal(['flotilla', 'connect', 'demo', '--', ...bashWith("PS1='inside> '")]);
    await shell.waitForOutput(/inside> /);
    shell.type('ls -l "$KUBECONFIG"; test -f "$KUBECONFIG" && echo there:$KUBECONFIG\r');
    const [, path = ''] = /there:(\/\S+)/.exec(await shell.waitForOutput(/\nthere:\/\S+/)) ?? [];
    await shell.waitForOutput(/inside> /);
    shell.type(ctrlC);
    await shell.waitForOutput(/\^C/);
    // If a signal arrives just before bash reads its input, bash handles it at the next key. So another key is sent.
    shell.type('\r');
    await shell.waitForOutput(/inside> /);
    shell.type('echo still $((1 + 1)); exit 3\r');
    await shell.waitForOutput(/\nstill 2/);
    expect(await shell.ended).toBe(3);
    expect(() => readFileSync(path)).toThrow(/ENOENT/);
  });

  it('offers to wake a virtual cluster that sleeps before it connects', async () => {
    await home.ok(['sleep', 'demo', '--wait']);
    const connect = ['connect', 'demo', '--', 'true'];
    expect(await home.run(connect)).toEqual({
      code: 1,
      stdout: '',
      stderr: 'flotilla: virtual cluster "demo" is asleep; to wake it, add --wake, or run: flotilla wake demo --wait\n',
    });
    const no = home.inTerminal(['flotilla', ...connect]);
    await no.waitForOutput(/"demo" is asleep: requests fail until it is woken\. Wake it now\? \[y\/N\] /);
    no.type('n\r');
    await no.waitForOutput(/flotilla: virtual cluster "demo" is asleep/);
    expect(await no.ended).toBe(1);
    const yes = home.inTerminal(['flotilla', ...connect]);
    await yes.waitForOutput(/Wake it now\?/);
    yes.type('y\r');
    await yes.waitForOutput(/✓.* Ready /);
    expect(await yes.ended).toBe(0);
    expect(await home.ok(['get', 'demo', '-o', 'jsonpath={.status.phase}'])).toBe('Ready');
    await home.ok(['sleep', 'demo', '--wait']);
    await home.ok(['connect', 'demo', '--wake', '--', 'true']);
    expect(await home.ok(['get', 'demo', '-o', 'jsonpath={.status.phase}'])).toBe('Ready');
  });

  it('asks before it deletes, unless --yes is given', async () => {
    await home.ok(['create', 'first']);
    await home.ok(['create', 'second']);
    const no = home.inTerminal(['flotilla', 'delete', 'first', 'second']);
    await no.waitForOutput(
      /Delete virtual clusters "first", "second" in project "default", with everything in them\? \[y\/N\] /,
    );
    no.type('n\r');
    await no.waitForOutput(/flotilla: nothing was deleted/);
    expect(await no.ended).toBe(1);
    expect(await home.ok(['get', 'first', 'second', '-o', 'name'])).toMatch(/first\n.*second\n/);
    const yes = home.inTerminal(['flotilla', 'delete', 'first', '--wait']);
    await yes.waitForOutput(/with everything in it\?/);
    yes.type('y\r');
    await yes.waitForOutput(/virtual cluster "first" deleted/);
    expect(await yes.ended).toBe(0);
    const sure = home.inTerminal(['flotilla', 'delete', 'second', '--yes', '--wait']);
    await sure.waitForOutput(/virtual cluster "second" deleted/);
    expect(await sure.ended).toBe(0);
    await home.ok(['project', 'create', 'red']);
    const project = home.inTerminal(['flotilla', 'project', 'delete', 'red']);
    await project.waitForOutput(/Delete project "red", with all virtual clusters and spaces\?/);
    project.type('y\r');
    expect(await project.ended).toBe(0);
  });

  it('edits objects in the editor, and shows the server’s refusal there', async () => {
    await home.ok(['edit', 'demo', '--patch', '{spec: {displayName: Demo}}']);
    const swap = join(home.folder, 'swap.sh');
    writeFileSync(swap, `#!/bin/sh\nsed -i 's/displayName: Demo/displayName: Edited/' "$1"\n`, { mode: 0o755 });
    const edited = home.inTerminal(['flotilla', 'edit', 'demo'], { env: { EDITOR: swap } });
    await edited.waitForOutput(/virtual cluster "demo" edited/);
    expect(await edited.ended).toBe(0);
    expect(await home.ok(['get', 'demo', '-o', 'jsonpath={.spec.displayName}'])).toBe('Edited');
    const same = home.inTerminal(['flotilla', 'edit', 'demo'], { env: { EDITOR: 'true' } });
    await same.waitForOutput(/no changes made/);
    // The first edit moves the instance to another cluster and is rejected. The second opens with the reason and is
    // aborted.
    const stubborn = join(home.folder, 'stubborn.sh');
    writeFileSync(stubborn, `#!/bin/sh\ngrep '^# ' "$1" && exit 0\nsed -i 's/cluster: local/cluster: paris/' "$1"\n`, {
      mode: 0o755,
    });
    const refused = home.inTerminal(['flotilla', 'edit', 'demo'], { env: { EDITOR: stubborn } });
    await refused.waitForOutput(/^# VirtualClusterInstance.*spec\.clusterRef\.cluster/m);
    await refused.waitForOutput(/flotilla: no changes made: /);
    expect(await refused.ended).toBe(1);
  });

  it('completes commands, options and names in a real bash', async () => {
    const bash = home.inTerminal(bashWith("PS1='ready> '", 'source <(flotilla completion bash)'));
    await bash.waitForOutput(/ready> /);
    bash.type('flotilla access-\t');
    await bash.waitForOutput(/flotilla access-key /);
    bash.type('crea\t--ttl-after\t\u0015');
    await bash.waitForOutput(/create --ttl-after-last-activity /);
    bash.type('flotilla get de\t');
    await bash.waitForOutput(/flotilla get demo /);
    bash.type('\u0015flotilla list --context 127.0.0.1:\t\u0015');
    await bash.waitForOutput(new RegExp(`--context ${new URL(flotilla.url).host}`));
    bash.type('exit\r');
    expect(await bash.ended).toBe(0);
  });
});
