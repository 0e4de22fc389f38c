import type { ArgumentSpec, OptionSpec } from '../../command-spec.ts';
import type { InstanceKind } from '../../kinds.ts';
import { contextOption, projectOption, timeoutOption, waitOption } from '../shared-options.ts';

/* The arguments and options that commands for virtual clusters and for spaces have in common. */

export const locationOptions: readonly OptionSpec[] = [projectOption, contextOption];

export const execOption: OptionSpec = {
  flags: '--exec',
  description:
    'Create a kubeconfig that contains no secret and does not expire; kubectl requests a token when it needs one',
};

export const viaOption: OptionSpec = {
  flags: '--via <way>',
  description:
    'Address in the kubeconfig: direct (the direct endpoint of the cluster), gateway (the server), or auto (direct if the cluster has a direct endpoint; the default)',
};

export const ttlOption: OptionSpec = {
  flags: '--ttl <duration>',
  description: 'Lifetime of the credential, for example 8h or 30d (default: set by the server, one day)',
};

export function nameArgument({ noun, word }: InstanceKind): ArgumentSpec {
  return { name: '<name>', description: `Name of the ${noun}`, candidates: word };
}

export function namesArgument(kind: InstanceKind): ArgumentSpec {
  return { ...nameArgument(kind), name: '<name...>', description: `Names of the ${kind.noun}s` };
}

export function kubeContextOption({ command }: InstanceKind): OptionSpec {
  const path = command === '' ? '' : `${command}/`;
  return {
    flags: '--kube-context <name>',
    description: `Name of the context in the kubeconfig (default: flotilla/<project>/${path}<name>)`,
  };
}

export function ownerOptions({ noun }: InstanceKind): readonly OptionSpec[] {
  return [
    { flags: '--owner-user <name>', description: `User that owns the ${noun} (default: you)`, candidates: 'user' },
    { flags: '--owner-team <name>', description: `Team that owns the ${noun}`, candidates: 'team' },
  ];
}

/** Returns the options `--wait` and `--timeout`. `until` describes what the command waits for. */
export function waitOptions(until: string): readonly OptionSpec[] {
  return [{ ...waitOption, description: `Wait until ${until}` }, timeoutOption];
}
