import { compareVersions } from '../management/template-version.ts';

/** The format of versions. Any other text is treated as if the program had sent no version. */
const format = /^(\d{1,9})\.(\d{1,9})\.\d{1,9}([-+][0-9A-Za-z.+-]{1,64})?$/;

/** Returns the version that an agent has sent; `undefined` if the text is not a version. */
export function readAgentVersion(text: string): string | undefined {
  return format.test(text) ? text : undefined;
}

/** True if the server is newer than its agent. */
export function isAgentOutdated(agent: string, server: string): boolean {
  return compareVersions(agent, server) < 0;
}

/**
 * Returns the reason why a server of this version refuses an agent; `undefined` if the server accepts the agent. A
 * server accepts agents of its own and of the previous minor version, so that servers and agents need not be upgraded
 * at the same time. It also accepts newer agents of its major version, because an agent uses only what the server
 * offers. For version `1.0`, every `0.x` counts as the previous minor version.
 */
export function agentVersionFault(agent: string, server: string): string | undefined {
  const [own, other] = [numbersOf(server), numbersOf(agent)];
  if (own === undefined || other === undefined) return undefined;
  const [major, minor] = own;
  if (other[0] > major) {
    return `the agent has version ${agent}, which is too new for this server of version ${server}; upgrade the server first`;
  }
  const isAccepted = other[0] === major ? other[1] >= minor - 1 : other[0] === major - 1 && minor === 0;
  if (isAccepted) return undefined;
  const oldest = minor === 0 ? `${major - 1}.x` : `${major}.${minor - 1}`;
  return `the agent has version ${agent}, but this server of version ${server} accepts only agents of version ${oldest} or newer; upgrade the agent`;
}

function numbersOf(version: string): readonly [major: number, minor: number] | undefined {
  const match = format.exec(version);
  return match === null ? undefined : [Number(match[1]), Number(match[2])];
}
