import { decodeKey } from '../key.ts';
import type { LevelOperation } from './level-database.ts';
import { withChecksumOfParts } from './row-checksum.ts';
import {
  changePrefix,
  dataRowKey,
  encodePosition,
  encodeSliceHead,
  historyRowKey,
  positionRowKey,
  rowPrefix,
  sliceRowKey,
} from './row-codec.ts';
import type { CommitStage } from './stage.ts';

/** Returns the LevelDB operations that write all changes of a stage to disk. */
export function stageOperations(stage: CommitStage, batch: number, time: number): LevelOperation[] {
  const operations: LevelOperation[] = [];
  const put = (key: string, head: string, value = '', more = '') =>
    operations.push({ type: 'put', key, value: withChecksumOfParts(key, head, value, more) });
  const remove = (key: string) => operations.push({ type: 'del', key });
  const stamp = String(time);
  // Rows that an earlier item of the batch wrote to a slice are not written if a later item removes the slice.
  const removed = new Set<string>();
  for (const [slice, head] of stage.heads) if (head === undefined) removed.add(slice);
  const isRemoved = (text: string) => removed.size > 0 && removed.has(decodeKey(text).slice);

  for (const [text, row] of stage.rows) {
    if (row === undefined || isRemoved(text)) remove(dataRowKey(text));
    else put(dataRowKey(text), rowPrefix(row), row.value);
  }
  for (const logged of stage.logged) {
    const { key, revision, value, previous } = logged.change;
    if (removed.has(key.slice)) continue;
    put(historyRowKey(key.slice, revision), changePrefix(logged, stamp), value, previous?.value);
  }
  for (const { slice, revisions } of stage.compacted) {
    for (const revision of revisions) remove(historyRowKey(slice, revision));
  }
  for (const [slice, head] of stage.heads) {
    if (head === undefined) remove(sliceRowKey(slice));
    else put(sliceRowKey(slice), encodeSliceHead(head));
  }
  put(positionRowKey, encodePosition({ revision: stage.revision, batch }));
  return operations;
}
