import type { PolicyFeedHeader } from '../../api/agent/policy-feed.ts';
import { apiWordVariable, defaultApiWord } from '../../api/api-word.ts';
import { apiWord } from '../../api/naming.ts';

/**
 * Returns an error message if the policy is from a server with another API word; otherwise `undefined`. With such a
 * policy, the agent would look for groups, labels and namespaces that do not exist.
 */
export function wrongApiWord({ apiWord: word = defaultApiWord }: PolicyFeedHeader): string | undefined {
  if (word === apiWord) return undefined;
  return `the server of the policy has the API word "${word}", but this agent has "${apiWord}"; start the agent with ${apiWordVariable}=${word}`;
}
