import { Button, TextInput } from '@mantine/core';
import { type FormEvent, useEffect, useId, useRef } from 'react';
import classes from './kubectl-console.module.css';
import { type CommandInputOptions, useCommandInput } from './use-command-input.ts';

export interface CommandLineProps extends CommandInputOptions {
  onRun(line: string): void;
}

/** The field for a command, with history and completion. */
export function CommandLine({ onRun, ...options }: CommandLineProps) {
  const { namespace, isRunning, onStop, onClear } = options;
  const { line, completion, selected, change, accept, forgetRecalled, handleKey } = useCommandInput(options);
  const input = useRef<HTMLInputElement>(null);
  const id = useId();
  const isOpen = completion.options.length > 0;
  useEffect(() => {
    // Does not focus the input on touch screens, because the on-screen keyboard would then cover the page.
    if (matchMedia('(pointer: fine)').matches) input.current?.focus({ preventScroll: true });
  }, []);

  function submit(event: FormEvent): void {
    event.preventDefault();
    const text = line.trim();
    if (text === '' || isRunning) return;
    forgetRecalled();
    change('');
    onRun(text);
    input.current?.focus();
  }

  return (
    <>
      <form className={classes.form} onSubmit={submit}>
        <TextInput
          ref={input}
          className={classes.line ?? ''}
          label="Command"
          placeholder="kubectl get pods"
          value={line}
          onChange={(event) => change(event.currentTarget.value)}
          onKeyDown={handleKey}
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          role="combobox"
          aria-expanded={isOpen}
          aria-autocomplete="list"
          {...(isOpen ? { 'aria-controls': id, 'aria-activedescendant': `${id}-${selected}` } : {})}
        />
        {isRunning ? (
          <Button variant="default" onClick={onStop}>
            Stop
          </Button>
        ) : (
          <Button type="submit" disabled={line.trim() === ''}>
            Run
          </Button>
        )}
        <Button variant="default" onClick={onClear}>
          Clear
        </Button>
      </form>
      {isOpen ? (
        <div id={id} role="listbox" aria-label="Completions" className={classes.options}>
          {completion.options.map((option, index) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles the keys and keeps the focus.
            <div
              key={option}
              id={`${id}-${index}`}
              role="option"
              tabIndex={-1}
              aria-selected={index === selected}
              className={classes.option}
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => accept(option)}
            >
              {option}
            </div>
          ))}
        </div>
      ) : null}
      <div className={classes.foot}>
        <span>Namespace: {namespace}</span>
        <span>
          Tab completes, ↑ and ↓ recall commands, Ctrl+C stops the command. Escape clears the line; then Tab leaves the
          field.
        </span>
      </div>
    </>
  );
}
