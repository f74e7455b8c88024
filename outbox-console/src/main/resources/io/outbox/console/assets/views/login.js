// Signing in, by name and password or by a token.

import {h, icon, put} from '../dom.js';
import {post} from '../api.js';
import {button, field, notice} from '../ui.js';

export function loginPage(logins, whenIn) {
  const problem = h('div', {'aria-live': 'assertive'});
  let kind = logins[0];
  const fields = h('div', {class: 'login-fields'});
  const inputs = {};

  function input(name, type, complete) {
    inputs[name] = h('input', {type, name, autocomplete: complete, required: true, spellcheck: 'false', autocapitalize: 'none'});
    return inputs[name];
  }

  function showFields() {
    put(
      fields,
      kind === 'password'
        ? [field('Name', input('user', 'text', 'username')), field('Password', input('password', 'password', 'current-password'))]
        : field('Token', input('token', 'password', 'off')));
  }

  async function submit(e) {
    e.preventDefault();
    put(problem);
    const body = kind === 'password' ? {user: inputs.user.value, password: inputs.password.value} : {token: inputs.token.value};
    try {
      await signIn(body);
      await whenIn();
    } catch (failure) {
      put(problem, notice('bad', failure.message));
      (inputs.password || inputs.token).select();
    }
  }

  /** Others from this address may guess at the same time: then the server looks at some only. */
  async function signIn(body) {
    for (let left = 40; ; left--) {
      try {
        return await post('api/login', body);
      } catch (failure) {
        if (failure.status !== 429 || !left) {
          throw failure;
        }
        await new Promise((done) => setTimeout(done, 100 + Math.random() * 400));
      }
    }
  }

  const other = h('button', {
    type: 'button',
    class: 'link',
    onclick: () => {
      kind = kind === 'password' ? 'token' : 'password';
      showFields();
      nameOther();
    },
  });
  const nameOther = () => put(other, kind === 'password' ? 'Use a token instead' : 'Use a name and password instead');
  showFields();
  nameOther();
  return h(
    'main',
    {class: 'center', id: 'main', tabindex: '-1'},
    h(
      'form',
      {class: 'card login', onsubmit: submit},
      h('span', {class: 'brand-mark big'}, icon('box')),
      h('h1', {}, 'Outbox console'),
      h('p', {class: 'muted'}, 'Sign in to see and steer your events.'),
      fields,
      problem,
      button('Sign in', null, {kind: 'primary wide', type: 'submit'}),
      logins.length > 1 && other));
}
