import { Button } from '@mantine/core';
import { Icon, type IconName } from './icon.tsx';

export interface PermittedButtonProps {
  /** True if the caller may perform the action and the object's state allows it. */
  readonly isPermitted: boolean | undefined;
  readonly icon?: IconName;
  readonly children: string;
  onClick(): void;
}

/** A button that is shown only to users who may perform the action. */
export function PermittedButton({ isPermitted, icon, children, onClick }: PermittedButtonProps) {
  if (isPermitted !== true) return null;
  const sign = icon === undefined ? undefined : <Icon name={icon} size={16} />;
  return (
    <Button variant="default" leftSection={sign} onClick={onClick}>
      {children}
    </Button>
  );
}
