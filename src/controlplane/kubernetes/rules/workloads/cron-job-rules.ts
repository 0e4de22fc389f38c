import { isJsonObject } from '@flotilla/json';
import { invalid, notSupported, required } from '../../../../api/field-error.ts';
import { childPath } from '../../../../api/schema/field-path.ts';
import { exactlyOneOf, memberAt, notNegative, objectAt, textOf } from '../checks.ts';
import { invalidStruct } from '../field-rules.ts';
import type { Check, KindRules, StructRules } from '../object-rules.ts';
import { cronScheduleFault } from './cron-schedule.ts';
import { timeZoneFault } from './time-zone.ts';

/** The controller adds 11 characters to the name, and the result must be a DNS label. */
const maxNameLength = 52;

const schedule: Check = function* (value, { path, parent, old }) {
  const text = textOf(value);
  if (text === '') {
    yield required(path);
    return;
  }
  const fault = cronScheduleFault(text);
  if (fault !== undefined) yield invalid(path, text, fault);
  if (!text.includes('TZ')) return;
  const hadZone = textOf(memberAt(old, ['spec', 'schedule'])).includes('TZ');
  if (!hadZone) yield invalid(path, text, 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead');
  else if ((parent.timeZone ?? undefined) !== undefined) {
    yield invalid(path, text, 'cannot use both timeZone field and TZ or CRON_TZ in schedule');
  }
};

const namePattern = /^[A-Za-z.\-_0-9+]{1,14}$/;

const timeZone: Check = function* (value, { path, old }) {
  if (value === undefined) return;
  const name = textOf(value);
  if (old !== undefined && memberAt(old, ['spec', 'timeZone']) === name) return;
  if (name === '') {
    yield invalid(path, name, 'timeZone must be nil or non-empty string');
    return;
  }
  const isPart = (part: string) => part !== '.' && part !== '..' && !part.startsWith('-') && namePattern.test(part);
  if (!name.split('/').every(isPart)) {
    yield invalid(path, name, `unknown time zone ${name}`);
    return;
  }
  if (name.toLowerCase() === 'local') {
    const detail = 'timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones';
    yield invalid(path, name, detail);
  }
  const fault = timeZoneFault(name);
  if (fault !== undefined) yield invalid(path, name, fault);
};

/** The template may not contain a selector, because the server generates the selector of each job. */
const generatedSelector: Check = function* (template, { path }) {
  const { selector, manualSelector } = objectAt(template, 'spec');
  const specPath = childPath(path, 'spec');
  if (isJsonObject(selector)) {
    yield invalidStruct(childPath(specPath, 'selector'), selector, '`selector` will be auto-generated');
  }
  if (manualSelector === true) {
    yield notSupported(childPath(specPath, 'manualSelector'), true, ['nil', 'false']);
  }
};

const shortName: Check = function* (object, { old }) {
  const name = textOf(memberAt(object, ['metadata', 'name']));
  if (old === undefined && name.length > maxNameLength) {
    yield invalid('metadata.name', name, `must be no more than ${maxNameLength} characters`);
  }
};

export const cronJobRules: Readonly<Record<string, StructRules>> = {
  'batch.CronJob': { after: [shortName] },
  'batch.CronJobSpec': {
    members: {
      schedule: [schedule],
      startingDeadlineSeconds: [notNegative],
      timeZone: [timeZone],
      concurrencyPolicy: [exactlyOneOf('Allow', 'Forbid', 'Replace')],
      jobTemplate: [],
      successfulJobsHistoryLimit: [notNegative],
      failedJobsHistoryLimit: [notNegative],
    },
  },
  'batch.JobTemplateSpec': { after: [generatedSelector] },
};

export const cronJobKinds: Readonly<Record<string, KindRules>> = { 'batch.CronJob': { update: ['structs'] } };
