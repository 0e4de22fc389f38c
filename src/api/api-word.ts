/**
 * The API word is the word in the names of the API: `management.<word>.sh`, `<word>-p-<project>` and so on. The constants
 * of `naming.ts` are computed when it is loaded, so the word must be known before that. `src/cli/main.ts` chooses it
 * before it loads the rest of the program, other threads get it in an environment variable, and in a browser it is in
 * the page.
 */
export const apiWordVariable = 'FLOTILLA_API_WORD';
export const defaultApiWord = 'platform';

/** The name of the meta element that contains the word, in the page of the console. */
const metaName = 'api-word';
/** Short enough that names which contain the word, such as the namespace of a project, leave room for other names. */
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

/** Returns the word of this process or page. Only `naming.ts` calls it, so that all names contain the same word. */
export function currentApiWord(): string {
  isInUse = true;
  return [chosen, wordOfProcess(), wordOfPage()].find(isGivenWord) ?? defaultApiWord;
}

function isGivenWord(text: string | undefined): text is string {
  return text !== undefined && isApiWord(text);
}

/** The globals of Node and of a browser. Each of them is absent in the other environment. */
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
