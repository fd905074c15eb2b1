import { existsSync } from 'node:fs';
import path from 'node:path';
import { publicUrl } from '../secrets/index.ts';
import type { ServerDefinition } from '../upstream/index.ts';

/** Returns the URL of a server's code, if its config names it, without anything that may be secret. */
export function codeUrlOf(
  { transport }: Pick<ServerDefinition, 'transport'>,
  secrets: readonly string[],
): string | null {
  if (transport.kind === 'in-process') return null;
  if (transport.kind !== 'stdio') return publicUrl(transport.url, secrets);
  const { command, args, cwd } = transport;
  const program = (command.split(/[/\\]/).at(-1) ?? '').replace(/\.(?:exe|cmd|bat)$/i, '').toLowerCase();
  const url = LAUNCHERS.find(({ programs }) => programs.test(program))?.locate(args, cwd) ?? null;
  return url !== null && secrets.some((secret) => secret !== '' && url.includes(secret)) ? null : url;
}

interface Launcher {
  programs: RegExp;
  /** Finds the code that the arguments start. */
  locate(args: readonly string[], cwd: string): string | null;
}

/** How each program is told what to start. */
const LAUNCHERS: readonly Launcher[] = [
  { programs: /^(?:npx|bunx|pnpx)$/, locate: (args) => npmPackage(packageArgument(args, NPX)) },
  { programs: /^uvx$/, locate: (args) => pypiPackage(packageArgument(args, UVX)) },
  { programs: /^pipx$/, locate: (args) => pypiPackage(packageArgument(after(args, ['run']), PIPX)) },
  { programs: /^uv$/, locate: uvCode },
  { programs: /^(?:node|bun|deno|tsx|ts-node)$/, locate: nodeScript },
  { programs: /^(?:python|py)[\d.]*$/, locate: pythonCode },
  { programs: /^(?:docker|podman|nerdctl)$/, locate: containerImage },
];

/** The options of a launcher: those that name the package, and others that take a value. */
interface Options {
  source: readonly string[];
  valued: readonly string[];
}

const NPX: Options = { source: ['-p', '--package'], valued: ['-c', '--call', '-w', '--workspace'] };
const UVX: Options = {
  source: ['--from'],
  valued: [
    '--with',
    '--python',
    '-p',
    '--index-url',
    '-i',
    '--extra-index-url',
    '--index',
    '--directory',
    '--refresh-package',
  ],
};
const PIPX: Options = { source: ['--spec'], valued: ['--python', '--index-url', '-i', '--pip-args'] };
const PYTHON: Options = { source: ['-m'], valued: ['-W', '-X', '-c'] };
const NODE: Options = {
  source: [],
  valued: [
    '-r',
    '--require',
    '--import',
    '--loader',
    '--experimental-loader',
    '-C',
    '--conditions',
    '--env-file',
    '-e',
    '-p',
  ],
};

/** Returns the package that the arguments name, by an option or as the first word. */
function packageArgument(args: readonly string[], { source, valued }: Options): string | undefined {
  for (let at = 0; at < args.length; at++) {
    const [option = '', value] = splitOnce(args[at] ?? '');
    if (!option.startsWith('-')) return args[at];
    if (source.includes(option)) return value ?? args[at + 1];
    if (value === undefined && valued.includes(option)) at++;
  }
  return undefined;
}

/** Splits `--option=value`. */
function splitOnce(arg: string): [string, string?] {
  const equals = arg.startsWith('--') ? arg.indexOf('=') : -1;
  return equals < 0 ? [arg] : [arg.slice(0, equals), arg.slice(equals + 1)];
}

/** Returns what follows these words, if the arguments begin with them. */
function after(args: readonly string[], words: readonly string[]): readonly string[] {
  return words.every((word, at) => args[at] === word) ? args.slice(words.length) : [];
}

const NPM_NAME = /^(?:@[\w.-]+\/)?[\w.-]+/;

function npmPackage(name: string | undefined): string | null {
  if (name === undefined) return null;
  const repository = repositoryUrl(name);
  if (repository !== undefined) return repository;
  const [found] = NPM_NAME.exec(name) ?? [];
  return found === undefined || /^\.|[:/]/.test(name.slice(found.length)) || found.startsWith('.')
    ? null
    : `https://www.npmjs.com/package/${found}`;
}

const PYPI_NAME = /^[A-Za-z\d][\w.-]*/;

function pypiPackage(name: string | undefined): string | null {
  if (name === undefined) return null;
  const repository = repositoryUrl(name);
  if (repository !== undefined) return repository;
  const [found] = PYPI_NAME.exec(name) ?? [];
  return found === undefined || /[:/]/.test(name) ? null : `https://pypi.org/project/${found}`;
}

/** `git+https://host/path@branch` and `github:owner/repo` name a repository. Undefined if the name is no such address. */
function repositoryUrl(name: string): string | null | undefined {
  const [, owner] = /^github:([\w.-]+\/[\w.-]+)/.exec(name) ?? [];
  if (owner !== undefined) return `https://github.com/${owner}`;
  const [, address] = /^(?:git\+)?(https:\/\/[^\s]+)$/.exec(name) ?? [];
  if (address === undefined) return undefined;
  const url = URL.parse(address);
  return url && `https://${url.host}${url.pathname.replace(/@[^/@]*$/, '')}`;
}

function uvCode(args: readonly string[], cwd: string): string | null {
  const tool = after(args, ['tool', 'run']);
  if (tool.length > 0) return pypiPackage(packageArgument(tool, UVX));
  const started = packageArgument(after(args, ['run']), {
    ...UVX,
    source: [],
    valued: [...UVX.valued, '-m'],
  });
  return started?.endsWith('.py') ? localFile(started, cwd) : null;
}

/** A script in `node_modules` belongs to an npm package; any other is a local file. */
function nodeScript(args: readonly string[], cwd: string): string | null {
  const given = args[0] === 'run' ? args.slice(1) : args;
  const script = packageArgument(given, NODE);
  if (script === undefined) return null;
  if (script.startsWith('npm:')) return npmPackage(script.slice('npm:'.length));
  const installed = script.replaceAll('\\', '/').split('/node_modules/').slice(1).at(-1);
  return installed === undefined
    ? (repositoryUrl(script) ?? localFile(script, cwd))
    : npmPackage(
        installed
          .split('/')
          .slice(0, installed.startsWith('@') ? 2 : 1)
          .join('/'),
      );
}

/** A module in the folder is a file, any other a package. */
function pythonCode(args: readonly string[], cwd: string): string | null {
  const isModule = args.some(
    (arg, at) => arg === '-m' && args.slice(0, at).every((one) => one.startsWith('-')),
  );
  const started = packageArgument(args, PYTHON);
  if (started === undefined) return null;
  if (!isModule) return localFile(started, cwd);
  const [name = ''] = started.split('.');
  for (const file of [name, `${name}.py`]) if (existsSync(path.join(cwd, file))) return localFile(file, cwd);
  return pypiPackage(name.replaceAll('_', '-'));
}

/** Names a file by its path from the server's folder. Others need not know where that folder is, or what is beside it. */
function localFile(file: string, cwd: string): string | null {
  const relative = path.relative(cwd, path.resolve(cwd, file));
  const isInside = relative !== '' && !relative.startsWith('..') && !path.isAbsolute(relative);
  if (!isInside || path.dirname(cwd) === cwd) return null;
  return `file:./${relative.split(path.sep).map(encodeURIComponent).join('/')}`;
}

/** The options of `docker run` that take no value; all others do. */
const FLAGS = new Set(
  'rm init interactive tty detach privileged read-only publish-all no-healthcheck oom-kill-disable quiet sig-proxy'
    .split(' ')
    .map((name) => `--${name}`),
);

/** `docker run -i --rm -e KEY mcp/fetch:1.2 args`. */
function containerImage(args: readonly string[]): string | null {
  const given = after(args[0] === 'container' ? args.slice(1) : args, ['run']);
  for (let at = 0; at < given.length; at++) {
    const arg = given[at] ?? '';
    if (!arg.startsWith('-')) return imageUrl(arg);
    const isFlag = FLAGS.has(arg) || arg.includes('=') || /^-[itdPq]+$/.test(arg);
    const hasOwnValue = /^-[a-zA-Z]./.test(arg) && !/^-[itdPq]+[a-zA-Z]$/.test(arg);
    if (!isFlag && !hasOwnValue) at++;
  }
  return null;
}

/** An image without a host is on Docker Hub. The tag or digest is left out: the version says which code it is. */
function imageUrl(image: string): string | null {
  const [name = ''] = image.split('@');
  if (!/^[\w.:/-]+$/.test(name)) return null;
  const parts = name.split('/');
  const last = (parts.pop() ?? '').split(':')[0] ?? '';
  const [host = ''] = parts;
  const isHost = /[.:]/.test(host) || host === 'localhost';
  const repository = [...parts, last].join('/');
  if (last === '' || (isHost && host.startsWith('localhost'))) return null;
  if (isHost && host !== 'docker.io') return `https://${repository}`;
  const onHub = repository.replace(/^docker\.io\//, '').replace(/^library\//, '');
  return onHub.includes('/') ? `https://hub.docker.com/r/${onHub}` : `https://hub.docker.com/_/${onHub}`;
}
