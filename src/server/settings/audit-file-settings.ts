import { defaultAuditRules } from '../../audit/audit-policy.ts';
import type { ForwardSettings } from '../../audit/forward/forward-settings.ts';
import { defaultAuditKeptFiles, defaultAuditMaxBytes } from '../../audit/open-audit-log.ts';
import { readForwardTarget } from './audit-forward.ts';
import { readAuditRule } from './audit-rules.ts';
import { choiceSetting, integerSetting, listSetting } from './setting-group.ts';

/** The settings of the group `audit`. */
export const auditFileSettings = {
  maxBytes: integerSetting({
    least: 1024,
    default: defaultAuditMaxBytes,
    meaning: 'size in bytes at which `audit.log` is rotated',
  }),
  keptFiles: integerSetting({
    least: 0,
    most: 1000,
    default: defaultAuditKeptFiles,
    meaning: 'number of rotated files to keep; `audit.log.1` is the newest',
  }),
  heldFiles: integerSetting({
    least: 0,
    most: 1000,
    default: 20,
    meaning:
      'number of rotated files to keep in addition to `keptFiles` while a target of `forward` has not received them',
  }),
  onFailure: choiceSetting(['refuse', 'continue'], {
    default: 'refuse',
    meaning:
      'when the audit line of a write cannot be written: reject the write with 503, or execute it and log an error',
  }),
  rules: listSetting({
    default: defaultAuditRules,
    meaning: 'the first rule that matches a request sets its level; requests without a matching rule are not audited',
    members: {
      level: '`None`, `Metadata`, `Request` or `RequestResponse`; required',
      verbs: 'API verbs, or lower-case methods for non-resource paths',
      users: 'user names',
      userGroups: 'groups; the user must be in at least one of them',
      namespaces: 'namespaces; the empty string matches requests without a namespace',
      resources: 'maps of `group` and `resources`: `plural`, `plural/subresource`, `plural/*` or `*`',
      nonResourceURLs: 'paths; a trailing `*` matches any suffix',
      outcome: '`refused`: only requests with response code 401, 403 or 429',
    },
    entry: readAuditRule,
  }),
  forward: listSetting<ForwardSettings>({
    default: [],
    meaning: 'the systems that receive all lines of the audit log, in order and at least once',
    members: {
      name: 'name of the target in metrics and logs, under which the server stores the position of the target; required',
      type: '`webhook` or `syslog` (RFC 5424 over TLS); required',
      url: '`https://host/path` of a webhook (`http` only for a loopback address), or `tls://host:6514` of syslog; required',
      format: 'body of a webhook: `jsonl` (lines of JSON, the default) or `list` (an AuditEventList)',
      auth: 'header of a webhook: `bearer` (the secret), `hmac` (`X-Flotilla-Signature: sha256=` and the HMAC-SHA-256 of the body in hex) or `none` (the default)',
      secretFile: 'file with the secret of `auth`; it is read for each request',
      caFile: 'CA certificates that verify the target (default the CA certificates of Node.js)',
      certFile: 'client certificate for the target',
      keyFile: 'private key of the client certificate',
    },
    entry: readForwardTarget,
  }),
};
