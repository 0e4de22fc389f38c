import { decodeKey } from '../key.ts';
import type { LevelOperation } from './level-database.ts';
import { withChecksumOfParts } from './row-checksum.ts';
import {
  changePrefix,
  dataRow,
  encodeHead,
  encodePosition,
  historyRow,
  positionRow,
  rowPrefix,
  sliceRow,
} from './row-codec.ts';
import type { Stage } from './stage.ts';

/** Returns the LevelDB operations that write all changes of a stage to disk. */
export function stageOperations(stage: Stage, batch: number, time: number): LevelOperation[] {
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
    if (row === undefined || isRemoved(text)) remove(dataRow(text));
    else put(dataRow(text), rowPrefix(row), row.value);
  }
  for (const logged of stage.logged) {
    const { key, revision, value, previous } = logged.change;
    if (removed.has(key.slice)) continue;
    put(historyRow(key.slice, revision), changePrefix(logged, stamp), value, previous?.value);
  }
  for (const { slice, revisions } of stage.compacted) {
    for (const revision of revisions) remove(historyRow(slice, revision));
  }
  for (const [slice, head] of stage.heads) {
    if (head === undefined) remove(sliceRow(slice));
    else put(sliceRow(slice), encodeHead(head));
  }
  put(positionRow, encodePosition({ revision: stage.revision, batch }));
  return operations;
}
