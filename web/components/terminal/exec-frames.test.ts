import { describe, expect, it } from 'vitest';
import { inputFrame, readFrame, resizeFrame } from './exec-frames.ts';

const bytes = (channel: number, text: string) => new Uint8Array([channel, ...new TextEncoder().encode(text)]);

describe('the messages of exec', () => {
  it('have their channel as the first byte', () => {
    expect([...inputFrame('é')]).toEqual([0, 0xc3, 0xa9]);
    expect(resizeFrame({ columns: 80, rows: 24 })).toEqual(bytes(4, '{"Width":80,"Height":24}'));
    expect(readFrame(bytes(1, 'out'))).toEqual({ type: 'output', stream: 'stdout', bytes: bytes(0, 'out').slice(1) });
    expect(readFrame(bytes(2, ''))).toEqual({ type: 'output', stream: 'stderr', bytes: new Uint8Array() });
    for (const message of [new Uint8Array(), bytes(0, 'x'), bytes(9, 'x')])
      expect(readFrame(message)).toEqual({ type: 'unknown' });
  });

  it('end with the exit code, or with the reason why the command did not run', () => {
    const exit = (status: object | string) =>
      readFrame(bytes(3, typeof status === 'string' ? status : JSON.stringify(status)));
    expect(exit({ status: 'Success' })).toEqual({ type: 'exit', exit: { code: 0, message: '' } });
    const message = 'command terminated with non-zero exit code: exit status 7';
    const details = { causes: [{ reason: 'ExitCode', message: '7' }] };
    expect(exit({ status: 'Failure', reason: 'NonZeroExitCode', message, details })).toEqual({
      type: 'exit',
      exit: { code: 7, message },
    });
    const missing = 'exec: "sh": executable file not found in $PATH';
    expect(exit({ status: 'Failure', reason: 'InternalError', message: missing })).toEqual({
      type: 'exit',
      exit: { code: undefined, message: missing },
    });
    expect(exit('no JSON')).toEqual({ type: 'exit', exit: { code: undefined, message: 'no JSON' } });
  });
});
