import { describe, expect, it } from 'vitest';
import { type Log, silentLog } from '../lib/log.ts';
import { CloseStack } from './close-stack.ts';

describe('Closing', () => {
  it('resources are closed in reverse order, each once, even if one fails', async () => {
    const done: string[] = [];
    const failed: unknown[] = [];
    const log: Log = { ...silentLog, error: (members) => failed.push(members.part) };
    const closing = new CloseStack(log);
    closing.add('store', async () => void done.push('store'));
    closing.add('plane', () => {
      throw new Error('stuck');
    });
    closing.add('listener', () => void done.push('listener'));
    await closing.close();
    await closing.close();
    expect(done).toEqual(['listener', 'store']);
    expect(failed).toEqual(['plane']);
  });
});
