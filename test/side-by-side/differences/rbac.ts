import { type Difference, messageOf, sentOf } from '../difference.ts';

/** Differences in roles and bindings and their messages. */
export const rbacDifferences: readonly Difference[] = [
  {
    id: 'binding-to-a-kind-that-is-none',
    theirs: 'answers 500 to a caller without all permissions who binds a role of an unknown kind',
    ours: 'answers 422 with the message that other callers get',
    because: 'it is a client error (completions §2)',
    explains: ({ path }, { theirs, ours }) =>
      /^(status|body)/.test(path) &&
      theirs.status === 500 &&
      ours.status === 422 &&
      /^unsupported role reference kind/.test(messageOf(theirs)),
  },
  {
    id: 'ownership-of-no-rules',
    theirs: 'lets a manager own an empty list of rules that it sent or emptied',
    ours: 'tracks no owner of an empty list',
    because: 'an empty list and a missing one are stored alike, in Kubernetes too',
    explains: ({ path, ours }, { request }) =>
      path === 'body.metadata.managedFields' && ours === undefined && /"rules":(\[\]|null)/.test(sentOf(request)),
  },
];
