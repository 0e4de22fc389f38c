import type { JsonObject } from '@flotilla/json';
import type { CommandCall } from '../../command-call.ts';
import { createObject } from '../../connection/objects.ts';
import { withFreshLogin } from '../../connection/with-fresh-login.ts';
import { managementApiVersion, type NamedKind } from '../../kinds.ts';
import { outputFormat } from '../../output/output-format.ts';

/** Creates an object of a cluster-scoped kind with the name in the arguments, and prints the result. */
export async function createAndShow<Spec extends JsonObject>(
  kind: NamedKind<{ spec?: Spec }>,
  spec: NoInfer<Spec>,
  call: CommandCall,
): Promise<undefined> {
  const { values, terminal, interrupted: signal } = call;
  const format = await outputFormat(values);
  return await withFreshLogin(call, async (api) => {
    const name = values.argument('name');
    const object = { apiVersion: managementApiVersion, kind: kind.kind, metadata: { name }, spec };
    const dryRun = values.flag('dry-run');
    const made = await createObject(api, kind, object, { dryRun, signal });
    if (format.kind === 'objects') terminal.print(format.print(made));
    else terminal.print(`${kind.noun} "${name}" ${dryRun ? 'would be created' : 'created'}\n`);
    return undefined;
  });
}
