import { textAt } from '@flotilla/json';
import { defaultApiWord, isApiWord } from '../../api/api-word.ts';
import type { ServerApi } from './server-api.ts';

/**
 * Returns the API word of the server. A server that is older than the API word setting does not report a word; its API
 * word is the default.
 */
export async function fetchApiWord(api: ServerApi, signal: AbortSignal): Promise<string> {
  const word = textAt(await api.json({ path: '/version', signal }), 'apiWord');
  return isApiWord(word) ? word : defaultApiWord;
}
