import { ActionIcon, Button, type ButtonProps, Tooltip } from '@mantine/core';
import { Icon } from './icon.tsx';

export interface DeleteButtonProps {
  /** The text of the button. Optional; defaults to "Delete". */
  readonly children?: string;
  readonly size?: ButtonProps['size'];
  /** The accessible name, if the text alone does not name the deleted object. Optional. */
  readonly label?: string;
  onClick(): void;
}

/** The button that deletes an object. It looks the same on all pages. */
export function DeleteButton({ children = 'Delete', size = 'sm', label, onClick }: DeleteButtonProps) {
  return (
    <Button
      size={size}
      variant="light"
      color="red"
      leftSection={<Icon name="trash" size={16} />}
      onClick={onClick}
      {...(label === undefined ? {} : { 'aria-label': label })}
    >
      {children}
    </Button>
  );
}

export interface RemoveButtonProps {
  /** The accessible name and the tooltip: "Remove anna". */
  readonly label: string;
  onClick(): void;
}

/** The button at the end of a table row that deletes the row or revokes the credential that the row describes. */
export function RemoveButton({ label, onClick }: RemoveButtonProps) {
  return (
    <Tooltip label={label}>
      <ActionIcon variant="subtle" color="red" aria-label={label} onClick={onClick}>
        <Icon name="trash" size={16} />
      </ActionIcon>
    </Tooltip>
  );
}
