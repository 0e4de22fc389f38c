import { Button } from '@mantine/core';
import { Icon, type IconName } from './icon.tsx';

export interface OfferedProps {
  /** True if the server allows the action and it applies now. */
  readonly when: boolean | undefined;
  readonly icon?: IconName;
  readonly children: string;
  onPress(): void;
}

/** A button that is shown only to users who may perform the action. */
export function Offered({ when, icon, children, onPress }: OfferedProps) {
  if (when !== true) return null;
  const sign = icon === undefined ? undefined : <Icon name={icon} size={16} />;
  return (
    <Button variant="default" leftSection={sign} onClick={onPress}>
      {children}
    </Button>
  );
}
