import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { describe, expect, it } from 'vitest';
import description from '../../package.json' with { type: 'json' };
import runtimes from '../../scripts/package/runtime.json' with { type: 'json' };

const root = new URL('../..', import.meta.url).pathname;

interface Step {
  readonly name?: string;
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, string | number | boolean>>;
}

interface Job {
  readonly if?: string;
  readonly needs?: string;
  readonly 'runs-on': string;
  readonly 'timeout-minutes': number;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly steps: Step[];
}

interface Workflow {
  readonly on: Record<string, unknown>;
  readonly permissions: Record<string, string>;
  readonly jobs: Record<string, Job>;
}

const folder = join(root, '.github/workflows');
const workflows = readdirSync(folder).map((name) => {
  const text = readFileSync(join(folder, name), 'utf8');
  return { name, text, workflow: load(text) as Workflow };
});
const stepsOf = ({ jobs }: Workflow): Step[] => Object.values(jobs).flatMap(({ steps }) => steps);

describe.each(workflows)('the workflow $name', ({ text, workflow }) => {
  it('has jobs with a limited time, and may only read by default', () => {
    expect(Object.keys(workflow.on).length).toBeGreaterThan(0);
    expect(workflow.permissions).toEqual({ contents: 'read' });
    for (const job of Object.values(workflow.jobs)) {
      expect(job['runs-on']).toMatch(/^ubuntu-\d/);
      expect(job['timeout-minutes']).toBeGreaterThan(0);
    }
  });

  it('uses actions of a fixed version, and no stored secret', () => {
    for (const step of stepsOf(workflow)) {
      expect([step.uses, step.run].filter((one) => one !== undefined)).toHaveLength(1);
      if (step.uses !== undefined) expect(step.uses).toMatch(/^actions\/[\w-]+@v\d+$/);
    }
    expect(text).not.toContain('secrets.');
  });

  it('runs scripts that exist', () => {
    const commands = stepsOf(workflow).flatMap(({ run = '' }) => [
      ...run.matchAll(/npm run (?:--silent )?([\w:-]+)|((?:\.ci|scripts)\/[\w./-]+)/g),
    ]);
    expect(commands.length).toBeGreaterThan(0);
    for (const [, script, path] of commands) {
      if (script !== undefined) expect(Object.keys(description.scripts)).toContain(script);
      else expect({ path, exists: existsSync(join(root, path ?? '')) }).toEqual({ path, exists: true });
    }
  });

  it('uses one version of Go, which is new enough for all programs', () => {
    const inWorkflow = stepsOf(workflow).find(({ uses = '' }) => uses.startsWith('actions/setup-go@'));
    const version = String(inWorkflow?.with?.['go-version']);
    expect(version).toBe('1.26.8');
    const tools = join(root, 'test/tools');
    const modules = readdirSync(tools).map((name) => join(tools, name, 'go.mod'));
    for (const file of modules.filter((one) => existsSync(one))) {
      const [, required = ''] = /^go (\S+)$/m.exec(readFileSync(file, 'utf8')) ?? [];
      const newer = required.localeCompare(version, 'en', { numeric: true }) > 0;
      expect({ file, required, newer }).toEqual({ file, required, newer: false });
    }
  });

  it('puts no expression into a shell, where its value would be a command', () => {
    for (const { run = '' } of stepsOf(workflow)) expect(run).not.toContain('${{');
  });
});

describe('a release', () => {
  const { workflow } = workflows.find(({ name }) => name === 'release.yml') ?? { workflow: undefined };
  const { build, ...publishing } = workflow?.jobs ?? {};

  it('attaches everything that can be installed, and its checksums', () => {
    const commands = (build?.steps ?? []).map(({ run: command = '' }) => command);
    for (const script of ['package', 'archives', 'image', 'charts', 'site-archive'])
      expect(commands).toContainEqual(expect.stringMatching(new RegExp(`npm run ${script} -- --out release\\b`)));
    const last = commands.findIndex((command) => command.startsWith('gh release create'));
    expect(commands[last]).toMatch(/ release\/\*$/);
    const sums = commands.findIndex((command) => command.includes('write-checksums.sh release'));
    expect(commands.slice(sums + 1, last).filter((command) => command !== '')).toEqual([]);
  });

  it('is built with the version of Node that it contains', () => {
    const [setup] = build?.steps.filter(({ uses = '' }) => uses.startsWith('actions/setup-node@')) ?? [];
    expect(setup?.with?.['node-version']).toBe(runtimes['linux-x64'].version);
  });

  it('is published elsewhere only if a variable of the repository says so, from files with correct checksums', () => {
    expect(Object.keys(publishing)).toEqual(['publish-npm', 'publish-image']);
    for (const { if: condition, needs, permissions, steps } of Object.values(publishing)) {
      expect(condition).toMatch(/^vars\.[A-Z_]+ (==|!=) '/);
      expect(needs).toBe('build');
      expect(permissions).toMatchObject({ contents: 'read' });
      const commands = steps.flatMap(({ run: command }) => (command === undefined ? [] : [command]));
      expect(commands[0]).toMatch(/^gh release download .*--pattern SHA256SUMS /);
      expect(commands[1]).toBe('sha256sum --check --ignore-missing SHA256SUMS');
    }
  });

  const run = (program: string, args: readonly string[]) => {
    const { status, stderr } = spawnSync(program, args, { cwd: root, encoding: 'utf8' });
    return { status, stderr };
  };

  it('needs a tag with the version of package.json', () => {
    const { status, stderr } = run(process.execPath, ['scripts/package/check-tag.mjs', 'v999.0.0']);
    expect(status).toBe(1);
    expect(stderr).toContain(`the tag is "v999.0.0", but package.json has version ${description.version}`);
  });

  it('has checksums of all its files', () => {
    const release = mkdtempSync(join(tmpdir(), 'release-'));
    writeFileSync(join(release, 'one'), 'one');
    writeFileSync(join(release, 'SHA256SUMS'), 'former');
    expect(run('bash', ['scripts/package/write-checksums.sh', release])).toEqual({ status: 0, stderr: '' });
    expect(readFileSync(join(release, 'SHA256SUMS'), 'utf8')).toMatch(/^[0-9a-f]{64} {2}one\n$/);
    rmSync(release, { recursive: true });
  });
});

it('the packages of the workspace have the version of the program', () => {
  for (const name of readdirSync(join(root, 'packages'))) {
    const own = JSON.parse(readFileSync(join(root, 'packages', name, 'package.json'), 'utf8'));
    expect({ name, version: own.version }).toEqual({ name, version: description.version });
  }
});
