#pragma once

#include <cmath>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

/// The smallest test harness that does the job: named cases, CHECK-like functions that
/// record where they failed, and a closing line that counts.
namespace check {

struct State {
  int failed = 0;
  bool case_failed = false;
};

inline State& state() {
  static State instance;
  return instance;
}

inline void that(bool condition, const std::string& what) {
  if (condition) return;
  std::printf("    FAILED: %s\n", what.c_str());
  state().case_failed = true;
}

inline void equal(double got, double expected, const std::string& what,
                  double tolerance = 0) {
  that(
      std::abs(got - expected) <= tolerance ||
          (std::isnan(got) && std::isnan(expected)),
      what + ": got " + std::to_string(got) + ", expected " + std::to_string(expected));
}

template <class Exception>
void throws(const std::function<void()>& action, const std::string& what) {
  try {
    action();
  } catch (const Exception&) {
    return;
  }
  that(false, what + ": nothing was thrown");
}

struct Case {
  const char* name;
  void (*run)();
};

inline int run(const std::vector<Case>& cases) {
  int passed = 0;
  for (const auto& test : cases) {
    state().case_failed = false;
    std::printf("  %s\n", test.name);
    test.run();
    if (state().case_failed) {
      ++state().failed;
    } else {
      ++passed;
    }
  }
  std::printf("%d passed, %d failed\n", passed, state().failed);
  return state().failed == 0 ? 0 : 1;
}

}  // namespace check
