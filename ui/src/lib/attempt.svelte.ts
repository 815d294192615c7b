// SPDX-License-Identifier: MIT OR Apache-2.0
// Actions that may fail: the text of the last failure is shown beside them.

import { explain, wasAborted } from './api'

export class Attempt {
  /** The last failure; empty after a success. */
  failure = $state('')

  /** Performs an action; returns true if it succeeded. */
  async run(act: () => Promise<unknown>): Promise<boolean> {
    try {
      await act()
      this.failure = ''
      return true
    } catch (error) {
      if (!wasAborted(error)) this.failure = explain(error)
      return false
    }
  }
}
