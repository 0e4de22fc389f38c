import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathOfProgram } from './path-of-program.ts';

const provider = 'terraform-provider-kubernetes';

/** The reason why OpenTofu cannot run; `undefined` if OpenTofu and its Kubernetes provider are on PATH. */
export const tofuMissing: string | undefined =
  pathOfProgram('tofu') === undefined || pathOfProgram(provider) === undefined
    ? `tofu or ${provider} is not on PATH (bash test/tools/build.sh <folder> clients builds them)`
    : undefined;

/** OpenTofu in a folder, with the provider on PATH and without any registry. */
export class Tofu {
  readonly #folder: string;
  readonly #settings: string;

  constructor(folder: string) {
    this.#folder = folder;
    this.#settings = join(folder, 'settings.tofurc');
    const override = `"hashicorp/kubernetes" = ${JSON.stringify(dirname(pathOfProgram(provider) ?? ''))}`;
    writeFileSync(this.#settings, `provider_installation {\n  dev_overrides {\n    ${override}\n  }\n}\n`);
  }

  async apply(): Promise<string> {
    return await this.#ok('apply', '-auto-approve', '-input=false', '-no-color');
  }

  /** Returns true if a plan contains changes. */
  async hasChanges(): Promise<boolean> {
    const { code, output } = await this.#run(['plan', '-detailed-exitcode', '-input=false', '-no-color']);
    if (code !== 0 && code !== 2) throw new Error(`tofu plan exited with ${code}:\n${output}`);
    return code === 2;
  }

  /** Removes an object from OpenTofu's state. The object in the cluster is kept. */
  async forget(address: string): Promise<void> {
    await this.#ok('state', 'rm', address);
  }

  async import(address: string, id: string): Promise<void> {
    await this.#ok('import', '-input=false', '-no-color', address, id);
  }

  async destroy(): Promise<string> {
    return await this.#ok('destroy', '-auto-approve', '-input=false', '-no-color');
  }

  async #ok(...args: string[]): Promise<string> {
    const { code, output } = await this.#run(args);
    if (code !== 0) throw new Error(`tofu ${args.join(' ')} exited with ${code}:\n${output}`);
    return output;
  }

  #run(args: readonly string[]): Promise<{ code: number; output: string }> {
    const env = { ...process.env, TF_CLI_CONFIG_FILE: this.#settings, TF_IN_AUTOMATION: '1' };
    return new Promise((resolve) => {
      execFile('tofu', [...args], { cwd: this.#folder, env, maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) => {
        const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1;
        resolve({ code, output: `${stdout}${stderr}` });
      });
    });
  }
}
