import { describe, expect, it } from 'vitest';
import { encodeKey } from '../../key.ts';
import type { KeyValue } from '../client/messages.ts';
import type { WatchEvent, WatchResponse } from '../client/watch-messages.ts';
import { KeySpace } from '../key-space.ts';
import { RevisionMap } from '../revision-map.ts';
import { encodeHead, encodeRow } from '../row-value.ts';
import { CommitAssembler } from './commit-assembler.ts';

const keys = new KeySpace('test');
const revisions = new RevisionMap(0);

const rowKey = (slice: string, name: string) => keys.row(encodeKey({ slice, segments: [name] }));

function kv(key: string, value: string, modRevision: number, createRevision = modRevision): KeyValue {
  return { key, value, modRevision, createRevision };
}

function put(key: string, value: string, modRevision: number, previous?: KeyValue): WatchEvent {
  const createRevision = previous?.createRevision ?? modRevision;
  return { kv: kv(key, value, modRevision, createRevision), isRemoval: false, ...(previous && { previous }) };
}

function removal(key: string, modRevision: number, previous?: KeyValue): WatchEvent {
  return { kv: kv(key, '', modRevision, 0), isRemoval: true, ...(previous && { previous }) };
}

function head(slice: string, modRevision: number, removals: number[], last = 1): WatchEvent {
  return put(keys.head(slice), encodeHead({ last, transaction: `t${modRevision}`, removals }), modRevision);
}

function response(events: WatchEvent[], isFragment = false): WatchResponse {
  return { revision: 9, created: false, canceled: false, compactRevision: 0, cancelReason: '', isFragment, events };
}

describe('CommitAssembler', () => {
  it('joins the events of a revision over fragments, in the order of the writes', () => {
    const assembler = new CommitAssembler(keys, revisions);
    const old = kv(rowKey('s', 'b'), encodeRow(3, 'old'), 4, 4);
    expect(assembler.add(response([put(rowKey('s', 'a'), encodeRow(2, 'x'), 5)], true))).toEqual([]);
    const commits = assembler.add(
      response([removal(rowKey('s', 'b'), 5, old), head('s', 5, [1], 2), put(rowKey('s', 'a'), encodeRow(1, 'y'), 6)]),
    );
    expect(commits.map(({ etcdRevision, logged }) => [etcdRevision, logged.map(({ change }) => change)])).toEqual([
      [
        5,
        [
          {
            revision: revisions.revision(5, 1),
            key: { slice: 's', segments: ['b'] },
            previous: { value: 'old', revision: revisions.revision(4, 3) },
          },
          { revision: revisions.revision(5, 2), key: { slice: 's', segments: ['a'] }, value: 'x' },
        ],
      ],
      // A row without the head of its slice is not a logged write.
      [6, []],
    ]);
    expect(commits[0]?.transactions).toEqual(['t5']);
  });

  it('reports removed slices and compactions, and ignores other keys', () => {
    const assembler = new CommitAssembler(keys, revisions);
    const commits = assembler.add(
      response([
        put(keys.removedSlice('gone'), '', 7),
        removal(rowKey('gone', 'x'), 7),
        put(keys.compaction, '5', 8),
        put(keys.cancelled('t1'), '', 9),
      ]),
    );
    expect(commits).toMatchObject([
      { etcdRevision: 7, removedSlices: ['gone'], logged: [], incomplete: 0 },
      { etcdRevision: 8, compaction: 5, logged: [] },
      { etcdRevision: 9, logged: [], removedSlices: [] },
    ]);
  });

  it('reports changes whose previous value was compacted', () => {
    const assembler = new CommitAssembler(keys, revisions);
    const replaced: WatchEvent = { kv: kv(rowKey('s', 'a'), encodeRow(1, 'x'), 5, 4), isRemoval: false };
    const [first, second] = assembler.add(
      response([replaced, head('s', 5, []), removal(rowKey('s', 'a'), 6), head('s', 6, [1])]),
    );
    expect(first?.incomplete).toBe(revisions.revision(5, 1));
    expect(second?.incomplete).toBe(revisions.revision(6, 1));
  });
});
