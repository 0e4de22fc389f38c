export const shells = ['bash', 'zsh', 'fish', 'powershell'] as const;
export type Shell = (typeof shells)[number];

/*
 * Each script passes the words typed so far to `flotilla __complete` and offers its output: one word per line, with its
 * description after a tab, or `:files` if the shell should complete file names.
 */

/**
 * The completion script for bash. Bash splits words at `:` and `=`, so the script splits the command line itself. From
 * each completion, the script removes the part that bash has already inserted.
 */
const bash = `_flotilla() {
  local line="\${COMP_LINE:0:COMP_POINT}" words current broken answer
  read -ra words <<< "$line"
  [[ "$line" == *[[:space:]] ]] && words+=("")
  current="\${words[\${#words[@]}-1]}"
  broken="\${current%"\${current##*[:=]}"}"
  COMPREPLY=()
  while IFS= read -r answer; do
    if [[ "$answer" == ":files" ]]; then
      compopt -o filenames 2>/dev/null
      while IFS= read -r answer; do COMPREPLY+=("$answer"); done < <(compgen -f -- "\${current#"$broken"}")
      return
    fi
    answer="\${answer%%$'\\t'*}"
    COMPREPLY+=("\${answer#"$broken"}")
  done < <("\${words[0]}" __complete "\${words[@]:1}" 2>/dev/null)
}
complete -F _flotilla flotilla
`;

const zsh = `#compdef flotilla
_flotilla() {
  local answer tab=$'\\t'
  local -a offered
  while IFS= read -r answer; do
    if [[ "$answer" == ":files" ]]; then
      _files
      return
    fi
    answer="\${answer//:/\\\\:}"
    offered+=("\${answer/$tab/:}")
  done < <("\${words[1]}" __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)
  _describe 'flotilla' offered
}
compdef _flotilla flotilla
`;

const fish = `function __flotilla_complete
  set -l words (commandline -opc)
  set -l program $words[1]
  set -e words[1]
  set -l current (commandline -ct)
  set -l answers ($program __complete $words "$current" 2>/dev/null)
  if test "$answers[1]" = ':files'
    __fish_complete_path "$current"
  else
    printf '%s\\n' $answers
  end
end
complete -c flotilla -f -a '(__flotilla_complete)'
`;

/**
 * The completion script for PowerShell. PowerShell completes the word at the cursor. An empty word is not an element of
 * the command, so the script adds it.
 */
const powershell = `Register-ArgumentCompleter -Native -CommandName flotilla -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $words = @($commandAst.CommandElements | Where-Object { $_.Extent.StartOffset -lt $cursorPosition } | ForEach-Object { $_.ToString() })
  $program = $words[0]
  $typed = @($words | Select-Object -Skip 1)
  if ($wordToComplete -eq '') { $typed += '""' }
  $answers = @(& $program __complete @typed 2>$null)
  if ($answers.Count -gt 0 -and $answers[0] -eq ':files') { return }
  $answers | ForEach-Object {
    $word, $description = $_ -split "\`t", 2
    if (-not $description) { $description = $word }
    [System.Management.Automation.CompletionResult]::new($word, $word, 'ParameterValue', $description)
  }
}
`;

export const shellScripts: Readonly<Record<Shell, string>> = { bash, zsh, fish, powershell };
