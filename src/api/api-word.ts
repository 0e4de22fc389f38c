/**
 * The name of the environment variable with the API word. The API word is the word in the names of the API:
 * `management.<word>.sh`, `<word>-p-<project>` and so on. The constants in `naming.ts` are computed when that file is
 * loaded, so the word must be set earlier. `src/cli/main.ts` chooses the word before it loads the rest of the program.
 * Other threads get the word in the environment variable, and a browser gets it in the page.
 */
export const apiWordVariable = 'FLOTILLA_API_WORD';
export const defaultApiWord = 'platform';

/** The name of the meta element in the page of the console that contains the API word. */
const metaName = 'api-word';
/**
 * The format of API words. The word is short, because names that contain it, such as the namespace of a project, must
 * leave room for other names.
 */
const pattern = /^[a-z][a-z0-9]{0,19}$/;
/** Kubernetes reserves user names and namespaces that start with these words. */
const reservedWords: readonly string[] = ['system', 'kube', 'kubernetes'];

export const apiWordRule =
  'use 1 to 20 lower-case letters and digits that start with a letter, but not system, kube or kubernetes';

export function isApiWord(text: string): boolean {
  return pattern.test(text) && !reservedWords.includes(text);
}

let chosen: string | undefined;
let isInUse = false;

/** Sets the word of this process. Must be called before `naming.ts` is loaded. */
export function setApiWord(word: string): void {
  if (isInUse) throw new Error('the API word was set after the names that contain it were computed');
  chosen = word;
}

/**
 * Returns the API word of this process or page. Only `naming.ts` calls this function, so that all names contain the
 * same word.
 */
export function currentApiWord(): string {
  isInUse = true;
  return [chosen, wordOfProcess(), wordOfPage()].find(isGivenWord) ?? defaultApiWord;
}

function isGivenWord(text: string | undefined): text is string {
  return text !== undefined && isApiWord(text);
}

/** The globals of Node and of a browser. In each environment, the global of the other one is absent. */
interface Globals {
  readonly process?: { readonly env?: Readonly<Record<string, string | undefined>> };
  readonly document?: {
    querySelector(selectors: string): { getAttribute(name: string): string | null } | null;
  };
}

function wordOfProcess(): string | undefined {
  return (globalThis as Globals).process?.env?.[apiWordVariable];
}

function wordOfPage(): string | undefined {
  const { document } = globalThis as Globals;
  return document?.querySelector(`meta[name="${metaName}"]`)?.getAttribute('content') ?? undefined;
}
