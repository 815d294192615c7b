// SPDX-License-Identifier: MIT OR Apache-2.0
// Light or dark: what the system says, unless the reader says otherwise.

export type Choice = 'auto' | 'light' | 'dark'

const KEY = 'gnomon.theme'

function stored(): Choice {
  try {
    const value = localStorage.getItem(KEY)
    return value === 'light' || value === 'dark' ? value : 'auto'
  } catch {
    return 'auto'
  }
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
    try {
      if (choice === 'auto') localStorage.removeItem(KEY)
      else localStorage.setItem(KEY, choice)
    } catch {
      // Then it holds for this page only.
    }
  }

  apply() {
    if (this.choice === 'auto') delete document.documentElement.dataset.theme
    else document.documentElement.dataset.theme = this.choice
  }
}

export const theme = new Theme()
