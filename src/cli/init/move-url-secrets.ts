import { isRandomWord, isSecretSetting, secretUrlParts } from '../../secrets/index.ts';

const ADDRESS =
  /^(?<scheme>[a-z][a-z0-9+.-]*:\/\/)(?:(?<user>[^/?#\s]*)@)?(?<host>[^/?#\s@]*)(?<path>\/[^?#\s]*)?(?<query>\?[^#\s]*)?(?<rest>#\S*)?$/i;
/** A shorter user part without a password is taken for a name, not for a token. */
const MIN_TOKEN = 8;

/**
 * Moves the secrets out of an address: a password, a token in place of the user, secret parameters of the query, and random
 * parts of the path, by which some servers know their users. The rest stays as it is written; other texts stay whole.
 */
export function moveUrlSecrets(text: string, move: (key: string, value: string) => string): string {
  const { scheme = '', user, host = '', path = '', query = '', rest = '' } = ADDRESS.exec(text)?.groups ?? {};
  if (scheme === '') return text;
  const login = user === undefined ? '' : `${withoutPassword(user, move)}@`;
  const parts = /^https?:/i.test(scheme) ? secretUrlParts(text) : [];
  const places = path.split('/').map((part) => (parts.includes(part) ? move('path', part) : part));
  return `${scheme}${login}${host}${places.join('/')}${withoutSecretParameters(query, move)}${rest}`;
}

function withoutPassword(user: string, move: (key: string, value: string) => string): string {
  const at = user.indexOf(':');
  if (at >= 0 && user.length > at + 1) return `${user.slice(0, at)}:${move('password', user.slice(at + 1))}`;
  return user.length >= MIN_TOKEN ? move('token', user) : user;
}

function withoutSecretParameters(query: string, move: (key: string, value: string) => string): string {
  const parameters = query.split('&').map((parameter) => {
    const [, key = '', value = ''] = /^\??([^=]*)=(.*)$/s.exec(parameter) ?? [];
    const isSecret = value !== '' && (isSecretSetting(key, value) || isRandomWord(value, key));
    return isSecret ? parameter.slice(0, parameter.length - value.length) + move(key, value) : parameter;
  });
  return parameters.join('&');
}
