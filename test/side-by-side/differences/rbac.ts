import { type Difference, messageOf, sentOf } from '../difference.ts';

/** In what roles and bindings are and in what is said of them. */
export const rbacDifferences: readonly Difference[] = [
  {
    id: 'binding-to-a-kind-that-is-none',
    theirs: 'answers 500 to somebody without all rights who binds a role of a kind that there is not',
    ours: 'answers 422 in the words that everybody else gets',
    because: 'it is the client’s own fault (completions §2)',
    explains: ({ path }, { theirs, ours }) =>
      /^(status|body)/.test(path) &&
      theirs.status === 500 &&
      ours.status === 422 &&
      /^unsupported role reference kind/.test(messageOf(theirs)),
  },
  {
    id: 'ownership-of-no-rules',
    theirs: 'has who sent an empty list of rules, or took them all away, own that there are none',
    ours: 'has nobody own what is not there',
    because: 'an empty list and none are stored alike, in Kubernetes too',
    explains: ({ path, ours }, { request }) =>
      path === 'body.metadata.managedFields' && ours === undefined && /"rules":(\[\]|null)/.test(sentOf(request)),
  },
];
