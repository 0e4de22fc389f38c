import { Duplex } from 'node:stream';
import { expect, it } from 'vitest';
import { ManualClock } from '../../../lib/clock.ts';
import { neverAborted } from '../observe/api-request.fixture.ts';
import { upgradeConnection } from './upgrade-connection.ts';

/** A connection on which the server accepts the upgrade before the write of the request is reported as complete. */
class BusyConnection extends Duplex {
  readonly written: (() => void)[] = [];

  override _read(): void {}

  override _write(_: Buffer, __: BufferEncoding, done: () => void): void {
    this.written.push(done);
    this.push('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: echo\r\n\r\nfirst');
  }

  ref(): void {}

  unref(): void {}
}

const turns = async () => {
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
};

const upgrade = (socket: BusyConnection) =>
  upgradeConnection(
    socket,
    {
      method: 'GET',
      path: '/',
      host: 'h',
      headers: ['connection', 'upgrade', 'upgrade', 'echo'],
      signal: neverAborted,
    },
    { clock: new ManualClock(), timeout: 10_000 },
  );

it('the upgrade passes an upgraded connection on after the request is written, with the bytes that have arrived', async () => {
  const socket = new BusyConnection();
  let isOpen = false;
  const opening = upgrade(socket).then((response) => {
    isOpen = true;
    return response;
  });
  await turns();
  expect(socket.written).toHaveLength(1);
  expect(isOpen).toBe(false);
  for (const done of socket.written) done();
  const response = await opening;
  expect(response.status).toBe(101);
  expect(String(socket.read())).toBe('first');
  socket.destroy();
});

it('the upgrade fails if the connection closes before the request is written', async () => {
  const socket = new BusyConnection();
  const opening = upgrade(socket);
  const rejected = expect(opening).rejects.toThrow('closed');
  await turns();
  socket.destroy();
  await rejected;
});
