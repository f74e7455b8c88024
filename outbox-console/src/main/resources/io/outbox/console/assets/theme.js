// Runs before the first paint, so that a chosen theme does not flash.
(function () {
  try {
    var chosen = localStorage.getItem('outbox-console-theme');
    if (chosen === 'light' || chosen === 'dark') {
      document.documentElement.dataset.theme = chosen;
    }
  } catch (e) {
    // storage is switched off: the system's theme it is
  }
})();
