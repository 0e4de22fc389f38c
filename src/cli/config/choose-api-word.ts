import { readFile } from 'node:fs/promises';
import { isJsonObject } from '@flotilla/json';
import { apiWordRule, apiWordVariable, defaultApiWord, isApiWord } from '../../api/api-word.ts';
import { CliError } from '../cli-error.ts';
import { parseServerAddress, sameServer } from '../connection/server-address.ts';
import type { Environment } from '../environment.ts';
import { readConfig } from './config-file.ts';
import { configPath } from './config-path.ts';

/**
 * Returns the API word for one command. Sources of the word: for `start`, its configuration file or the environment;
 * for an agent, the environment; for clients, the environment or the login that the command uses. The command line
 * parser depends on the word, so this function runs before the parser is loaded and reads the options itself. Throws
 * CliError if the word is invalid.
 */
export async function chooseApiWord(args: readonly string[], environment: Environment): Promise<string> {
  const [command] = args;
  const given = environment[apiWordVariable] || undefined;
  if (given !== undefined) assertApiWord(given, apiWordVariable);
  if (command === 'start') return await wordOfServer(optionIn(args, 'config'), given);
  if (given !== undefined) return given;
  return command === 'agent' ? defaultApiWord : await wordOfLogin(optionIn(args, 'context'), environment);
}

function assertApiWord(word: string, source: string): void {
  if (isApiWord(word)) return;
  throw new CliError(`${source}: ${JSON.stringify(word)} is not an API word`, { next: apiWordRule });
}

async function wordOfServer(file: string | undefined, given: string | undefined): Promise<string> {
  const inFile = file === undefined ? undefined : await wordInFile(file);
  if (inFile === undefined) return given ?? defaultApiWord;
  assertApiWord(inFile, `${file}: api.word`);
  if (given === undefined || given === inFile) return inFile;
  throw new CliError(
    `${file}: api.word is ${JSON.stringify(inFile)}, but ${apiWordVariable} is ${JSON.stringify(given)}`,
    {
      next: 'remove one of them',
    },
  );
}

/**
 * Returns the API word in the file; `undefined` if the file has no API word or is invalid. The server itself reports an
 * invalid file.
 */
async function wordInFile(file: string): Promise<string | undefined> {
  const { load } = await import('js-yaml');
  try {
    const settings: unknown = load(await readFile(file, 'utf8'));
    const api = isJsonObject(settings) ? settings.api : undefined;
    const word = isJsonObject(api) ? api.word : undefined;
    return typeof word === 'string' ? word : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Returns the API word of the login. Ignores a config file that cannot be read, a missing login and an invalid URL,
 * because the command itself later reports such problems.
 */
async function wordOfLogin(context: string | undefined, environment: Environment): Promise<string> {
  try {
    const { current, logins } = await readConfig(configPath(environment));
    const name = context ?? (environment.FLOTILLA_CONTEXT || current);
    const login = name === undefined ? undefined : logins.get(name);
    const url = context === undefined ? environment.FLOTILLA_URL || undefined : undefined;
    const isOther = login === undefined || (url !== undefined && !sameServer(login, parseServerAddress(url)));
    return (isOther ? undefined : login.apiWord) ?? defaultApiWord;
  } catch {
    return defaultApiWord;
  }
}

/** Returns the value of `--<name>`. Ignores the arguments after `--`, which belong to another program. */
function optionIn(args: readonly string[], name: string): string | undefined {
  const end = args.indexOf('--');
  const own = end === -1 ? args : args.slice(0, end);
  const at = own.findLastIndex((arg) => arg === `--${name}` || arg.startsWith(`--${name}=`));
  const arg = own[at];
  if (arg === undefined) return undefined;
  return arg === `--${name}` ? own[at + 1] : arg.slice(name.length + 3);
}
