import { resolve } from 'node:path';
import { cronScheduleFault } from '../../controlplane/kubernetes/rules/workloads/cron-schedule.ts';
import { nextCronTime } from '../../controlplane/kubernetes/rules/workloads/next-cron-time.ts';
import { timeZoneFault } from '../../controlplane/kubernetes/rules/workloads/time-zone.ts';
import { isLoopbackHost } from '../../lib/loopback-host.ts';
import { StartError } from '../../process/start-error.ts';
import {
  booleanSetting,
  integerSetting,
  nestedSettings,
  optionalChoiceSetting,
  optionalTextSetting,
  readGroup,
  textSetting,
} from './setting-group.ts';
import type { SettingsReader } from './settings-reader.ts';

const s3Encryptions = ['AES256', 'aws:kms'] as const;

/** A bucket of an S3-compatible service. */
export interface S3Settings {
  readonly bucket: string;
  /** The URL of the service; `undefined` for Amazon S3 in the region `region`. */
  readonly endpoint: string | undefined;
  readonly region: string;
  /** The beginning of the names of all objects; empty, or ends with `/`. */
  readonly prefix: string;
  readonly pathStyle: boolean;
  /** The files with the credentials; `undefined` for the default credentials of the AWS SDK. */
  readonly credentials: { readonly accessKeyIdFile: string; readonly secretAccessKeyFile: string } | undefined;
  readonly caFile: string | undefined;
  readonly encryption:
    | { readonly algorithm: (typeof s3Encryptions)[number]; readonly kmsKeyId: string | undefined }
    | undefined;
  readonly timeoutSeconds: number;
}

/** The backups that the server makes itself. */
export interface BackupSettings {
  readonly schedule: string;
  readonly timeZone: string;
  readonly destination: { readonly directory: string } | { readonly s3: S3Settings };
  /** A backup is removed if at least `last` newer backups exist and the backup is older than `days`. */
  readonly keep: { readonly last: number; readonly days: number };
  /**
   * The file with the passphrase that encrypts the keys of the installation; `undefined` if backups do not include
   * these keys.
   */
  readonly passphraseFile: string | undefined;
}

/** The settings of the group `backup`. */
export const backupFileSettings = {
  schedule: optionalTextSetting({
    takes: 'a schedule such as `0 3 * * *`, as in a CronJob of Kubernetes',
    describedDefault: 'none; the server makes no backups itself',
    meaning: 'when the server makes a backup of the whole store; if several servers share a store, the leader makes it',
  }),
  timeZone: textSetting({
    takes: 'a name such as `Europe/Berlin`',
    default: 'UTC',
    meaning: 'the time zone of `backup.schedule`',
  }),
  directory: optionalTextSetting({
    takes: 'a path',
    describedDefault: 'none',
    meaning:
      'the directory for backups; servers that share a store need a directory that all of them can use; set this or `backup.s3`',
  }),
  passphraseFile: optionalTextSetting({
    takes: 'a path',
    describedDefault: 'none; backups do not contain the keys',
    meaning:
      'file with the passphrase with which backups contain the seal key, the CA and the signing keys, as with `flotilla backup --include-keys`',
  }),
  keep: nestedSettings({
    last: integerSetting({
      least: 1,
      most: 10_000,
      default: 7,
      meaning: 'number of newest backups that are never removed',
    }),
    days: integerSetting({
      least: 0,
      most: 36_500,
      default: 0,
      meaning: 'age in days before which no backup is removed, also if there are more than `backup.keep.last`',
    }),
  }),
  s3: nestedSettings({
    bucket: optionalTextSetting({
      takes: 'a name',
      describedDefault: 'none',
      meaning: 'the bucket for backups; it must exist; set this or `backup.directory`',
    }),
    endpoint: optionalTextSetting({
      takes: '`https://host`, with a port if needed; `http` only for a loopback address',
      describedDefault: 'Amazon S3 in `backup.s3.region`',
      meaning: 'the address of an S3-compatible service',
    }),
    region: textSetting({ takes: 'a name', default: 'us-east-1', meaning: 'the region of the bucket' }),
    prefix: textSetting({
      takes: 'a text such as `flotilla/`; empty: none',
      default: '',
      meaning: 'the beginning of the names of all objects, for a bucket that has other content too',
    }),
    pathStyle: booleanSetting({
      default: true,
      meaning:
        'put the bucket in the path of requests, as most S3-compatible services expect; if false, it is part of the host name',
    }),
    accessKeyIdFile: optionalTextSetting({
      takes: 'a path',
      describedDefault:
        'the default credentials of the AWS SDK: environment variables such as `AWS_ACCESS_KEY_ID`, a web identity token, or the role of the machine',
      meaning: 'file with the ID of the access key; it is read for each backup',
    }),
    secretAccessKeyFile: optionalTextSetting({
      takes: 'a path',
      describedDefault: 'like `backup.s3.accessKeyIdFile`',
      meaning: 'file with the secret of the access key; it is read for each backup',
    }),
    caFile: optionalTextSetting({
      takes: 'a path',
      describedDefault: 'the CA certificates of Node.js',
      meaning: 'CA certificates that verify the service',
    }),
    serverSideEncryption: optionalChoiceSetting(s3Encryptions, {
      describedDefault: 'that of the bucket',
      meaning: 'the encryption that the service is asked to use for the objects',
    }),
    kmsKeyId: optionalTextSetting({
      takes: 'the ID or ARN of a key',
      describedDefault: 'that of the bucket',
      meaning: 'the key for `aws:kms`',
    }),
    timeoutSeconds: integerSetting({
      least: 5,
      most: 3600,
      default: 120,
      meaning: 'time in seconds after which a request to the service fails; each part of a backup is a request',
    }),
  }),
};

/** Reads the group `backup`. Returns `undefined` if no backups are scheduled. */
export function readBackupSettings(file: SettingsReader): BackupSettings | undefined {
  const settings = readGroup(file, 'backup', backupFileSettings);
  const { schedule, timeZone, directory, s3, keep, passphraseFile } = settings;
  if (schedule === undefined) {
    if (directory === undefined && s3.bucket === undefined) return undefined;
    throw new StartError('"backup.schedule" is required, for example "0 3 * * *"');
  }
  assertSchedule(schedule, timeZone);
  const common = { schedule, timeZone, keep, passphraseFile };
  if ((directory === undefined) === (s3.bucket === undefined)) {
    throw new StartError('"backup.schedule" needs either "backup.directory" or "backup.s3.bucket"');
  }
  if (directory !== undefined) return { ...common, destination: { directory: resolve(directory) } };
  return { ...common, destination: { s3: s3Settings(s3) } };
}

/** More frequent backups would keep the server busy all the time. */
const shortestIntervalMs = 60_000;

function assertSchedule(schedule: string, timeZone: string): void {
  const zoneFault = timeZone === '' || timeZone === 'Local' ? 'is not a time zone' : timeZoneFault(timeZone);
  if (zoneFault !== undefined) throw new StartError(`"backup.timeZone": ${JSON.stringify(timeZone)}: ${zoneFault}`);
  if (/^(CRON_)?TZ=/.test(schedule)) {
    throw new StartError('"backup.schedule" must not contain a time zone; set "backup.timeZone"');
  }
  const fault = cronScheduleFault(schedule);
  if (fault !== undefined) throw new StartError(`"backup.schedule": ${fault}`);
  const [first, second] = twoTimes(schedule, timeZone);
  if (first === undefined) throw new StartError(`"backup.schedule": ${JSON.stringify(schedule)} is never due`);
  if (second !== undefined && second - first < shortestIntervalMs) {
    throw new StartError('"backup.schedule" must not be due more often than once a minute');
  }
}

function twoTimes(schedule: string, timeZone: string): (number | undefined)[] {
  const first = nextCronTime(schedule, Date.now(), timeZone);
  return [first, first === undefined ? undefined : nextCronTime(schedule, first, timeZone)];
}

type S3Values = (typeof backupFileSettings.s3)['default'];

function s3Settings(values: S3Values): S3Settings {
  const { bucket = '', endpoint, region, prefix, pathStyle, caFile, timeoutSeconds } = values;
  const { accessKeyIdFile, secretAccessKeyFile, serverSideEncryption, kmsKeyId } = values;
  if (!/^[a-z0-9][a-z0-9._-]{1,61}[a-z0-9]$/i.test(bucket)) {
    throw new StartError(`"backup.s3.bucket": ${JSON.stringify(bucket)} is not a name of a bucket`);
  }
  if (prefix.startsWith('/')) throw new StartError('"backup.s3.prefix" must not start with /');
  if ((accessKeyIdFile === undefined) !== (secretAccessKeyFile === undefined)) {
    throw new StartError('"backup.s3" needs both "accessKeyIdFile" and "secretAccessKeyFile", or neither');
  }
  if (kmsKeyId !== undefined && serverSideEncryption !== 'aws:kms') {
    throw new StartError('"backup.s3.kmsKeyId" needs "serverSideEncryption: aws:kms"');
  }
  if (endpoint !== undefined) assertEndpoint(endpoint);
  return {
    ...{ bucket, endpoint, region, pathStyle, caFile, timeoutSeconds },
    prefix: prefix === '' || prefix.endsWith('/') ? prefix : `${prefix}/`,
    credentials:
      accessKeyIdFile === undefined || secretAccessKeyFile === undefined
        ? undefined
        : { accessKeyIdFile, secretAccessKeyFile },
    encryption: serverSideEncryption === undefined ? undefined : { algorithm: serverSideEncryption, kmsKeyId },
  };
}

/** The message does not contain the address, which could contain a password. */
function assertEndpoint(endpoint: string): void {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  const isAllowed = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopbackHost(url.hostname));
  if (url === undefined || !isAllowed || url.username !== '' || url.password !== '' || url.pathname !== '/') {
    throw new StartError('"backup.s3.endpoint" must be an address such as https://s3.example.com, without a path');
  }
}
