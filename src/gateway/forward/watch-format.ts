import type { JsonObject } from '@flotilla/json';
import type { ApiResponse } from '../../hosts/host.ts';
import { protobufCodec } from '../../http/protobuf/envelope.ts';
import { watchEventFrame } from '../../http/protobuf/watch-event.ts';

/** The format of the events of a watch. Each instance reads only one watch. */
export interface WatchFormat {
  /**
   * Reads the next chunk. Returns the number of bytes up to the end of the last event that ends in the chunk; 0 if no
   * event ends there.
   */
  completeBytes(chunk: Uint8Array): number;
  /** Returns an ERROR event with a Status. */
  errorEvent(status: JsonObject): Uint8Array;
}

/** Returns the format of a watch; `undefined` if it is not a format that Kubernetes sends. */
export function watchFormatOf({ headers }: Pick<ApiResponse, 'headers'>): WatchFormat | undefined {
  if (headers['content-encoding'] !== undefined) return undefined;
  const type = String(headers['content-type'] ?? '');
  if (/^application\/json\b/.test(type)) return new JsonLines();
  return /^application\/vnd\.kubernetes\.protobuf\b/.test(type) ? new ProtobufFrames() : undefined;
}

const newline = 0x0a;

/** Each event is a line. */
class JsonLines implements WatchFormat {
  completeBytes(chunk: Uint8Array): number {
    return chunk.lastIndexOf(newline) + 1;
  }

  errorEvent(status: JsonObject): Uint8Array {
    return Buffer.from(`${JSON.stringify({ type: 'ERROR', object: status })}\n`);
  }
}

const lengthBytes = 4;

/** Each event is a frame: its length in four bytes, and a WatchEvent message. */
class ProtobufFrames implements WatchFormat {
  /** The number of bytes read so far of the current frame's length. `#length` contains their value. */
  #lengthRead = 0;
  #length = 0;
  /**
   * The number of bytes of the current frame that have not arrived yet. Valid only after the frame's length was read
   * completely.
   */
  #missing = 0;

  completeBytes(chunk: Uint8Array): number {
    let complete = 0;
    let at = 0;
    while (at < chunk.length) {
      if (this.#lengthRead < lengthBytes) {
        this.#length = this.#length * 256 + (chunk[at] ?? 0);
        this.#lengthRead++;
        at++;
        if (this.#lengthRead < lengthBytes) continue;
        this.#missing = this.#length;
      }
      const taken = Math.min(this.#missing, chunk.length - at);
      this.#missing -= taken;
      at += taken;
      if (this.#missing > 0) break;
      this.#lengthRead = 0;
      this.#length = 0;
      complete = at;
    }
    return complete;
  }

  errorEvent(status: JsonObject): Uint8Array {
    return watchEventFrame('ERROR', protobufCodec.encode(status));
  }
}
