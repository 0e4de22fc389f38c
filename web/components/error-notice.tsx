import { Alert, Button, List, Text } from '@mantine/core';
import { StatusError } from '../../src/api/status.ts';

/** Returns the message of the server, or a note that the server cannot be reached. */
export function errorMessage(error: unknown): string {
  if (error instanceof StatusError) return error.message;
  if (error instanceof TypeError) return 'The server cannot be reached. Check your network connection.';
  return error instanceof Error ? error.message : String(error);
}

function titleOf(error: unknown): string {
  if (error instanceof TypeError) return 'Cannot reach the server';
  if (!(error instanceof StatusError)) return 'Request failed';
  const titles: Record<string, string> = {
    Forbidden: 'Permission denied',
    NotFound: 'Not found',
    Conflict: 'Changed by someone else',
    AlreadyExists: 'Name already in use',
    Invalid: 'Invalid input',
    TooManyRequests: 'Too many requests',
  };
  return titles[error.status.reason ?? ''] ?? 'Request failed';
}

export interface ErrorNoticeProps {
  readonly error: unknown;
  readonly onRetry?: () => void;
}

/**
 * A notice with the error message. If the server names several invalid fields, the notice has a line for each field.
 */
export function ErrorNotice({ error, onRetry }: ErrorNoticeProps) {
  const causes = error instanceof StatusError ? (error.status.details?.causes ?? []) : [];
  return (
    <Alert color="red" title={titleOf(error)} role="alert" my="sm">
      {causes.length > 1 ? (
        <List size="sm">
          {causes.map((cause) => (
            <List.Item key={`${cause.field} ${cause.message}`}>
              <span className="mono">{cause.field}</span>: {cause.message}
            </List.Item>
          ))}
        </List>
      ) : (
        <Text size="sm">{errorMessage(error)}</Text>
      )}
      {onRetry === undefined ? null : (
        <Button mt="sm" size="xs" variant="light" color="red" onClick={onRetry}>
          Try again
        </Button>
      )}
    </Alert>
  );
}
