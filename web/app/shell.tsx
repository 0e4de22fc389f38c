import {
  ActionIcon,
  AppShell,
  Burger,
  Group,
  Menu,
  NavLink,
  Text,
  Tooltip,
  useComputedColorScheme,
  useMantineColorScheme,
} from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Link, Outlet, useRouterState } from '@tanstack/react-router';
import { useEffect } from 'react';
import { trackFocus } from '../components/form/page-focus.ts';
import { Icon } from '../components/icon.tsx';
import { Logo } from '../components/logo.tsx';
import { MenuLink } from '../components/menu-link.tsx';
import { useSelf } from '../data/session/use-self.ts';
import { NotificationBell } from './notification-bell.tsx';
import { PaletteHost } from './palette/palette-host.tsx';
import { PasswordPromptDialog } from './password-prompt-dialog.tsx';
import { usePermittedDestinations } from './permitted-destinations.ts';
import { SessionWatch } from './session-watch.tsx';
import classes from './shell.module.css';
import { signOutOrNotify } from './sign-out.ts';

/** The header and navigation around every page. */
export function Shell() {
  const [isOpen, { toggle, close }] = useDisclosure(false);
  const login = useSelf().self?.accessKey;
  const path = useRouterState({ select: (state) => state.location.pathname });
  // biome-ignore lint/correctness/useExhaustiveDependencies: navigation closes the menu.
  useEffect(close, [path]);
  useEffect(trackFocus, []);
  return (
    <AppShell
      layout="alt"
      header={{ height: 56 }}
      navbar={{ width: 232, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
      padding="lg"
    >
      {login === undefined ? null : <SessionWatch login={login} />}
      <PasswordPromptDialog />
      <a className="skip" href="#page">
        Skip to main content
      </a>
      <AppShell.Header className={classes.header}>
        <Group h="100%" px="lg" justify="space-between" wrap="nowrap">
          <Burger opened={isOpen} onClick={toggle} hiddenFrom="sm" size="sm" aria-label="Navigation" />
          <span />
          <Group gap="xs" wrap="nowrap">
            <PaletteHost />
            <NotificationBell />
            <ThemeSwitch />
            <Account />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar className={classes.navigation} p="sm" aria-label="Pages">
        <Group gap="sm" px="xs" py={6} mb="md" wrap="nowrap">
          <Burger opened={isOpen} onClick={toggle} hiddenFrom="sm" size="sm" aria-label="Close navigation" />
          <Logo />
          <Text fw={700} size="lg">
            Flotilla
          </Text>
        </Group>
        <Navigation path={path} />
      </AppShell.Navbar>
      <AppShell.Main id="page" tabIndex={-1}>
        <Outlet />
      </AppShell.Main>
    </AppShell>
  );
}

function Navigation({ path }: { readonly path: string }) {
  return usePermittedDestinations().map(({ to, label, icon }) => {
    const isHere = to === '/' ? path === '/' : path === to || path.startsWith(`${to}/`);
    return (
      <NavLink
        key={to}
        component={Link}
        to={to}
        label={label}
        leftSection={<Icon name={icon} />}
        active={isHere}
        aria-current={isHere ? 'page' : undefined}
        className={classes.destination ?? ''}
      />
    );
  });
}

function ThemeSwitch() {
  const { setColorScheme } = useMantineColorScheme();
  const scheme = useComputedColorScheme('light');
  const other = scheme === 'dark' ? 'light' : 'dark';
  return (
    <Tooltip label={`Switch to ${other} theme`}>
      <ActionIcon
        variant="subtle"
        color="gray"
        size="lg"
        aria-label={`Switch to ${other} theme`}
        onClick={() => setColorScheme(other)}
      >
        <Icon name={scheme === 'dark' ? 'sun' : 'moon'} />
      </ActionIcon>
    </Tooltip>
  );
}

function Account() {
  const { self } = useSelf();
  const name =
    self?.user?.displayName || self?.user?.name || self?.team?.displayName || self?.team?.name || self?.subject || '';
  return (
    <Menu position="bottom-end" width={240}>
      <Menu.Target>
        <button type="button" className={classes.account}>
          <span className={classes.initial} aria-hidden="true">
            {name.slice(0, 1).toUpperCase()}
          </span>
          <span className={classes.name}>{name}</span>
          <Icon name="down" size={14} />
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          Signed in as {self?.subject}
          {self?.user?.email === undefined ? '' : ` (${self.user.email})`}
        </Menu.Label>
        {self?.user === undefined ? null : (
          <MenuLink to="/users/$user" params={{ user: self.user.name }} leftSection={<Icon name="users" size={16} />}>
            Account settings
          </MenuLink>
        )}
        <Menu.Item component={Link} to="/keys" leftSection={<Icon name="keys" size={16} />}>
          Your access keys
        </Menu.Item>
        <Menu.Item component={Link} to="/cli" leftSection={<Icon name="download" size={16} />}>
          Get the CLI
        </Menu.Item>
        <Menu.Item leftSection={<Icon name="signOut" size={16} />} onClick={signOutOrNotify}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
