import { useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useMemo } from 'react';
import { type InstanceType, spaceType, virtualClusterType } from '../../data/instance-types.ts';
import { type KindRef, kinds } from '../../data/kind-ref.ts';
import { useSelf } from '../../data/session/use-self.ts';
import { useCreatableProjects } from '../../data/use-creatable-projects.ts';
import { usePermittedDestinations } from '../permitted-destinations.ts';
import { signOutOrNotify } from '../sign-out.ts';
import type { PaletteEntry } from './find-entries.ts';

type Navigate = ReturnType<typeof useNavigate>;

/** The kinds that users create in a dialog of a list page. */
const dialogKinds = [
  { title: 'New project', to: '/projects', kind: kinds.project },
  { title: 'New template', to: '/templates', kind: kinds.template },
  { title: 'New space template', to: '/space-templates', kind: kinds.spaceTemplate },
  { title: 'New user', to: '/users', kind: kinds.user },
  { title: 'New team', to: '/teams', kind: kinds.team },
  { title: 'Connect a cluster', to: '/hosts', kind: kinds.cluster },
] as const satisfies readonly { readonly title: string; readonly to: string; readonly kind: KindRef }[];

function dialogEntries(navigate: Navigate): readonly PaletteEntry[] {
  return dialogKinds.map(({ title, to, kind }) => ({
    id: `new ${kind.plural}`,
    title,
    about: 'Action',
    icon: 'plus',
    permission: { verb: 'create', kind },
    run: () => void navigate({ to, search: { new: true } }),
  }));
}

/** Returns the actions that create an instance, for the types that the user may create somewhere. */
function instanceEntries(types: readonly (InstanceType | false)[], navigate: Navigate): readonly PaletteEntry[] {
  return types
    .filter((type) => type !== false)
    .map(({ noun, createPath }) => ({
      id: `new ${noun}`,
      title: `New ${noun}`,
      about: 'Action',
      icon: 'plus',
      run: () => void navigate({ to: createPath }),
    }));
}

/** Returns the entries that do not depend on objects: pages and general actions. */
export function useFixedEntries(onHelp: () => void): readonly PaletteEntry[] {
  const navigate = useNavigate();
  const destinations = usePermittedDestinations();
  const { self } = useSelf();
  const { setColorScheme } = useMantineColorScheme();
  const other = useComputedColorScheme('light') === 'dark' ? 'light' : 'dark';
  const user = self?.user?.name;
  const mayCreate = useCreatableProjects(kinds.instance).projects.length > 0;
  const mayCreateSpace = useCreatableProjects(kinds.space).projects.length > 0;
  return useMemo(
    () => [
      ...destinations.map(({ to, label, icon }) => ({
        id: `page ${to}`,
        title: label,
        about: 'Page',
        icon,
        run: () => void navigate({ to }),
      })),
      ...instanceEntries([mayCreate && virtualClusterType, mayCreateSpace && spaceType], navigate),
      ...dialogEntries(navigate),
      {
        id: 'new key',
        title: 'New access key',
        about: 'Action',
        icon: 'plus',
        run: () => void navigate({ to: '/keys/new' }),
      },
      {
        id: 'offboarding',
        title: 'Offboard a user',
        about: 'Action',
        icon: 'signOut',
        permission: { verb: 'create', kind: kinds.user, subresource: 'offboard' },
        run: () => void navigate({ to: '/offboarding' }),
      },
      ...(user === undefined
        ? []
        : [
            {
              id: 'account',
              title: 'Account settings',
              about: 'Page',
              icon: 'users' as const,
              run: () => void navigate({ to: '/users/$user', params: { user } }),
            },
          ]),
      {
        id: 'cli',
        title: 'Get the CLI',
        about: 'Page',
        icon: 'download',
        run: () => void navigate({ to: '/cli' }),
      },
      {
        id: 'theme',
        title: `Switch to ${other} theme`,
        about: 'Action',
        icon: other === 'dark' ? 'moon' : 'sun',
        run: () => setColorScheme(other),
      },
      { id: 'help', title: 'Keyboard shortcuts', about: 'Help', icon: 'more', run: onHelp },
      { id: 'sign out', title: 'Sign out', about: 'Action', icon: 'signOut', run: signOutOrNotify },
    ],
    [destinations, navigate, mayCreate, mayCreateSpace, user, other, setColorScheme, onHelp],
  );
}
