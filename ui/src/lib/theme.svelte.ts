// SPDX-License-Identifier: MIT OR Apache-2.0
// Light or dark theme: that of the system unless the user selects one.

import { read, write } from './stored'

export type Choice = 'auto' | 'light' | 'dark'

const KEY = 'gnomon.theme'

function stored(): Choice {
  const value = read(() => localStorage, KEY)
  return value === 'light' || value === 'dark' ? value : 'auto'
}

const system = window.matchMedia('(prefers-color-scheme: dark)')

class Theme {
  choice = $state<Choice>(stored())
  #systemIsDark = $state(system.matches)
  isDark = $derived(this.choice === 'auto' ? this.#systemIsDark : this.choice === 'dark')

  constructor() {
    system.addEventListener('change', () => (this.#systemIsDark = system.matches))
  }

  set(choice: Choice) {
    this.choice = choice
    this.apply()
    write(() => localStorage, KEY, choice === 'auto' ? '' : choice)
  }

  apply() {
    if (this.choice === 'auto') delete document.documentElement.dataset.theme
    else document.documentElement.dataset.theme = this.choice
  }
}

export const theme = new Theme()
