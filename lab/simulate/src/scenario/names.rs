//! The names of a case.
//!
//! Owns: which thread, instance and lock a name means.
//! Must never know: the use of the names.

use super::command::{InstanceName, LockName, ThreadName};

/// The names that a case has given, in the order in which it did.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Names {
    threads: Vec<String>,
    instances: Vec<String>,
    locks: Vec<String>,
}

impl Names {
    /// The thread's name.
    pub fn thread(&self, thread: ThreadName) -> &str {
        &self.threads[thread.0]
    }

    /// The instance's name.
    pub fn instance(&self, instance: InstanceName) -> &str {
        &self.instances[instance.0]
    }

    /// The lock's name.
    pub fn lock(&self, lock: LockName) -> &str {
        &self.locks[lock.0]
    }

    /// All threads.
    pub fn threads(&self) -> &[String] {
        &self.threads
    }

    /// All instances.
    pub fn instances(&self) -> &[String] {
        &self.instances
    }

    /// All locks.
    pub fn locks(&self) -> &[String] {
        &self.locks
    }

    /// The thread of this name.
    pub fn find_thread(&self, name: &str) -> Option<ThreadName> {
        self.threads
            .iter()
            .position(|known| known == name)
            .map(ThreadName)
    }

    /// The instance of this name.
    pub fn find_instance(&self, name: &str) -> Option<InstanceName> {
        self.instances
            .iter()
            .position(|known| known == name)
            .map(InstanceName)
    }

    /// The lock of this name.
    pub fn find_lock(&self, name: &str) -> Option<LockName> {
        self.locks
            .iter()
            .position(|known| known == name)
            .map(LockName)
    }

    /// The thread of this name, known from now on.
    pub fn add_thread(&mut self, name: &str) -> ThreadName {
        self.find_thread(name).unwrap_or_else(|| {
            self.threads.push(name.to_owned());
            ThreadName(self.threads.len() - 1)
        })
    }

    /// The instance of this name, known from now on.
    pub fn add_instance(&mut self, name: &str) -> InstanceName {
        self.find_instance(name).unwrap_or_else(|| {
            self.instances.push(name.to_owned());
            InstanceName(self.instances.len() - 1)
        })
    }

    /// The lock of this name, known from now on.
    pub fn add_lock(&mut self, name: &str) -> LockName {
        self.find_lock(name).unwrap_or_else(|| {
            self.locks.push(name.to_owned());
            LockName(self.locks.len() - 1)
        })
    }
}
