import { expect, it } from 'vitest';
import type { TxnRequest } from '../client/messages.ts';
import { KeySpace } from '../key-space.ts';
import { RevisionMap } from '../revision-map.ts';
import type { Committer } from './committer.ts';
import { GroupCommitter } from './group-committer.ts';
import type { TransactionPlan } from './plan-transaction.ts';

const empty: TxnRequest = { compare: [], success: [], failure: [] };

/** A transaction with one write. */
const plan: TransactionPlan = {
  indexes: [1],
  hasLoggedWrites: true,
  hasWrites: true,
  request: () => empty,
  explain: () => ({ absent: new Set() }),
  get part() {
    const { request, explain } = plan;
    return { slice: 's', writes: 1, characters: 1, request: () => request(''), explain };
  },
};

it('the deadline of a nearly overdue transaction does not apply to others', async () => {
  const sent: { readonly deadline: number; readonly finish: () => void }[] = [];
  const send: Committer['send'] = (_request, { deadline }) =>
    new Promise((resolve) => {
      const done = { revision: 1, succeeded: true, ranges: [], nested: [] };
      const nested = [{ ...done, nested: Array.from({ length: 32 }, () => done) }];
      sent.push({ deadline, finish: () => resolve({ response: { ...done, nested } }) });
    });
  const groups = new GroupCommitter({ send } as Committer, new KeySpace('p'), new RevisionMap(0));
  const commits = [1000, 1001, 5, 1002, 1003, 1200].map((deadline) => groups.commit(plan, deadline));
  // Each request that ends lets the next request be sent.
  for (const request of sent) {
    request.finish();
    await new Promise(setImmediate);
  }
  await Promise.all(commits);
  expect(sent.map(({ deadline }) => deadline)).toEqual([1000, 1001, 5, 1002]);
});
