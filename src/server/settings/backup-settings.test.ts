import type { JsonObject } from '@flotilla/json';
import { describe, expect, it } from 'vitest';
import { readBackupSettings } from './backup-settings.ts';
import { SettingsReader } from './settings-reader.ts';

function read(backup: JsonObject) {
  return readBackupSettings(new SettingsReader('settings.yaml', { backup }));
}

const daily = { schedule: '0 3 * * *' };
const bucket = { ...daily, s3: { bucket: 'flotilla-backups', endpoint: 'https://s3.example.com' } };

describe('the settings of scheduled backups', () => {
  it('are absent by default', () => {
    expect(read({})).toBeUndefined();
  });

  it('name a directory, and keep seven backups', () => {
    expect(read({ ...daily, directory: '/backups' })).toEqual({
      schedule: '0 3 * * *',
      timeZone: 'UTC',
      destination: { directory: '/backups' },
      keep: { last: 7, days: 0 },
      passphraseFile: undefined,
    });
  });

  it('name a bucket, whose prefix ends with a slash', () => {
    const settings = read({
      ...daily,
      s3: { ...bucket.s3, prefix: 'production', serverSideEncryption: 'aws:kms', kmsKeyId: 'k' },
    });
    expect(settings?.destination).toEqual({
      s3: {
        bucket: 'flotilla-backups',
        endpoint: 'https://s3.example.com',
        region: 'us-east-1',
        prefix: 'production/',
        pathStyle: true,
        credentials: undefined,
        caFile: undefined,
        encryption: { algorithm: 'aws:kms', kmsKeyId: 'k' },
        timeoutSeconds: 120,
      },
    });
  });

  it.each<[string, JsonObject]>([
    ['"backup.schedule" is required', { directory: '/backups' }],
    ['needs either "backup.directory" or "backup.s3.bucket"', daily],
    ['needs either "backup.directory" or "backup.s3.bucket"', { ...bucket, directory: '/backups' }],
    ['expected exactly 5 fields', { schedule: '3 * *', directory: '/backups' }],
    ['set "backup.timeZone"', { schedule: 'TZ=UTC 0 3 * * *', directory: '/backups' }],
    ['is never due', { schedule: '0 0 30 2 *', directory: '/backups' }],
    ['more often than once a minute', { schedule: '@every 1s', directory: '/backups' }],
    ['unknown time zone Mars', { ...daily, timeZone: 'Mars', directory: '/backups' }],
    ['"backup.keep.last" must be an integer from 1', { ...daily, directory: '/backups', keep: { last: 0 } }],
    ['"backup.s3.other" is not a known setting', { ...daily, s3: { bucket: 'abc', other: 1 } }],
    ['is not a name of a bucket', { ...daily, s3: { bucket: 'a/b' } }],
    ['"backup.s3.endpoint" must be', { ...daily, s3: { ...bucket.s3, endpoint: 'http://s3.example.com' } }],
    [
      '"backup.s3.endpoint" must be',
      { ...daily, s3: { ...bucket.s3, endpoint: 'https://user:secret@s3.example.com' } },
    ],
    ['both "accessKeyIdFile" and "secretAccessKeyFile"', { ...daily, s3: { ...bucket.s3, accessKeyIdFile: '/id' } }],
    ['needs "serverSideEncryption: aws:kms"', { ...daily, s3: { ...bucket.s3, kmsKeyId: 'k' } }],
  ])('are refused: %s', (message, settings) => {
    expect(() => read(settings)).toThrow(message);
    expect(() => read(settings)).not.toThrow('secret@');
  });

  it('allow plain HTTP only to this machine', () => {
    expect(read({ ...daily, s3: { bucket: 'abc', endpoint: 'http://127.0.0.1:7070' } })).toBeDefined();
  });
});
