import { isLoopbackHost } from '../../lib/loopback-host.ts';
import { StartError } from '../../process/start-error.ts';
import type { TracingSettings } from '../../process/tracing/tracing-settings.ts';
import { booleanSetting, optionalTextSetting, ratioSetting, readGroup, textSetting } from './setting-group.ts';
import type { SettingsReader } from './settings-reader.ts';

const fileSetting = (meaning: string, describedDefault = 'none') =>
  optionalTextSetting({ takes: 'a path', describedDefault, meaning });

/** The settings of the group `tracing`. */
export const tracingFileSettings = {
  endpoint: optionalTextSetting({
    takes: 'a URL such as `https://collector.example.com:4318/v1/traces`',
    describedDefault: 'none; nothing is traced',
    meaning:
      'the URL to which the server sends traces: OTLP over HTTP, with protobuf; `http` needs a loopback address or `tracing.allowPlainHttp`',
  }),
  sampleRatio: ratioSetting({
    default: 0.01,
    meaning: 'share of the requests, and of the reconciles of controllers, that are traced',
  }),
  trustCallers: booleanSetting({
    default: false,
    meaning:
      'trace a request if its `traceparent` header says that the caller traces it, whoever the caller is; if false, this applies only to administrators with an unscoped key, because other callers could have all of their requests traced',
  }),
  serviceName: textSetting({
    takes: 'a name',
    default: 'flotilla',
    meaning: 'the attribute `service.name` of all traces of this installation',
  }),
  headersFile: fileSetting(
    'file with headers for the receiver, such as a token: one `name: value` per line; it is read for each request',
  ),
  caFile: fileSetting('CA certificates that verify the receiver', 'the CA certificates of Node.js'),
  certFile: fileSetting('client certificate for the receiver'),
  keyFile: fileSetting('private key of the client certificate'),
  allowPlainHttp: booleanSetting({
    default: false,
    meaning: 'allow an endpoint with `http` at any address; others on the network can then read the traces',
  }),
};

export function readTracing(file: SettingsReader): TracingSettings {
  const { allowPlainHttp, ...settings } = readGroup(file, 'tracing', tracingFileSettings);
  const problem = problemOf(settings, allowPlainHttp);
  if (problem !== undefined) throw new StartError(`"tracing": ${problem}`);
  return settings;
}

/**
 * Returns the reason why the settings are not valid. The reason does not contain the URL, which could contain a
 * password.
 */
function problemOf(settings: TracingSettings, allowPlainHttp: boolean): string | undefined {
  const { endpoint, certFile, keyFile } = settings;
  if ((certFile === undefined) !== (keyFile === undefined)) return 'needs both "certFile" and "keyFile", or neither';
  if (endpoint === undefined) return undefined;
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol)) {
    return '"endpoint" must be a URL such as https://collector.example.com:4318/v1/traces';
  }
  if (url.username !== '' || url.password !== '') {
    return '"endpoint" must not contain a user or password; set "headersFile"';
  }
  if (url.protocol === 'http:' && !allowPlainHttp && !isLoopbackHost(url.hostname)) {
    return '"endpoint" must use https; set "allowPlainHttp" if others on the network may read the traces';
  }
  return undefined;
}
