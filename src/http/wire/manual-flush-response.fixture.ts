import { EventEmitter } from 'node:events';
import type { ResponseTarget } from './write-reply.ts';

/** A test response whose write callbacks run only when the test releases them. */
export class ManualFlushResponse extends EventEmitter implements ResponseTarget {
  readonly writableLength = 0;
  /** The length of each chunk that was written. The last chunk is the one passed to `end`. */
  readonly chunkLengths: number[] = [];
  #written: (() => void)[] = [];

  get length(): number {
    return this.chunkLengths.reduce((sum, piece) => sum + piece, 0);
  }

  writeHead(): void {}
  flushHeaders(): void {}
  destroy(): void {}

  write(chunk: string | Uint8Array, written?: () => void): boolean {
    this.chunkLengths.push(chunk.length);
    if (written !== undefined) this.#written.push(written);
    return true;
  }

  end(chunk?: string | Uint8Array): void {
    this.chunkLengths.push(chunk?.length ?? 0);
    this.emit('finish');
  }

  async flush(): Promise<void> {
    for (const written of this.#written.splice(0)) written();
    await new Promise((resolve) => setImmediate(resolve));
  }
}
